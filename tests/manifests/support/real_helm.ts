import { AssertionError } from "@std/assert";
import { DEPLOY } from "../../../deploy/write.ts";
import type { KubeManifest } from "../../../src/manifests/objects.ts";
import { type Ended, runToEnd } from "../../support/run_to_end.ts";
import { objectsIn } from "./kustomize.ts";

export const CHART = new URL("helm/cronjob-controller", DEPLOY).pathname;

/** The helm on PATH. `values` are given as a file of values. */
export async function helm(
  args: readonly string[],
  { values = {}, env = {} }: { values?: object | undefined; env?: Record<string, string> } = {},
): Promise<Ended> {
  return await runToEnd(["helm", ...args, ...valuesFile(args)], { env, stdin: JSON.stringify(values) });
}

/** @throws with what helm said, when it fails */
export async function helmOk(...parameters: Parameters<typeof helm>): Promise<string> {
  const { code, stdout, stderr } = await helm(...parameters);
  if (code !== 0) throw new AssertionError({ message: `helm ${parameters[0].join(" ")} failed: ${stderr}${stdout}` });
  return stdout;
}

/** What the chart renders to, as a release in this namespace. */
export async function rendered(values: object, namespace: string): Promise<KubeManifest[]> {
  return objectsIn(await helmOk(["template", "release", CHART, "--namespace", namespace], { values }));
}

function valuesFile([command = ""]: readonly string[]): string[] {
  return ["template", "lint", "install", "upgrade"].includes(command) ? ["--values", "-"] : [];
}
