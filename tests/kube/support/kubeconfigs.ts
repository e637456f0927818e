import { loadConnection } from "../../../src/kube/connection.ts";
import type { ConnectionConfig } from "../../../src/kube/connection_config.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { temporaryFolder } from "../../support/program.ts";

type Files = Record<string, string>;

/** Writes files into a directory of their own, and gives what turns their names into paths. */
export async function withFiles(files: Files, fn: (path: (name: string) => string) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder(files);
  await fn((name) => `${folder.path}/${name}`);
}

export const NOTHING = { get: () => undefined };

export function environment(variables: Record<string, string>) {
  return { get: (name: string) => variables[name] };
}

export function load(kubeconfig: string, context?: string): Promise<ConnectionConfig> {
  return loadConnection({ kubeconfig, context, environment: NOTHING, clock: new FakeClock() });
}

export function base64(text: string): string {
  return btoa(text);
}
