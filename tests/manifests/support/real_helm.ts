import { AssertionError } from "@std/assert";
import { DEPLOY } from "../../../deploy/write.ts";
import type { KubeManifest } from "../../../src/manifests/objects.ts";
import { objectsIn } from "./kustomize.ts";

export const CHART = new URL("helm/cronjob-controller", DEPLOY).pathname;

export interface HelmResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The helm on PATH. `values` are given as a file of values. */
export async function helm(
  args: readonly string[],
  { values = {}, env = {} }: { values?: object | undefined; env?: Record<string, string> } = {},
): Promise<HelmResult> {
  const process = new Deno.Command("helm", { args: [...args, ...valuesFile(args)], env, ...PIPES }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(values)));
  await writer.close();
  const { code, stdout, stderr } = await process.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
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

const PIPES = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;

function valuesFile([command = ""]: readonly string[]): string[] {
  return ["template", "lint", "install", "upgrade"].includes(command) ? ["--values", "-"] : [];
}
