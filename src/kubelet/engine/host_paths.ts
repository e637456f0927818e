import type { Volume } from "kubernetes-types/core/v1";
import { basename, dirname, normalize } from "node:path/posix";
import { ContainerConfigError, PROBLEMS } from "../inputs/config_error.ts";
import { ifThere } from "../files/disk.ts";

/** Returns whether a path lies under one of these, as written. */
export function isUnder(path: string, allowed: readonly string[]): boolean {
  const clean = normalize(`${path}/`);
  return allowed.some((prefix) => clean.startsWith(normalize(`${prefix}/`)));
}

/**
 * Returns what is mounted for a hostPath: the path without its symbolic links, which is what was judged.
 *
 * @throws {ContainerConfigError} if it is not there or leads to where nothing is allowed
 */
export function hostSource({ name, hostPath }: Volume, allowed: readonly string[]): string {
  const { path, type = "" } = hostPath!;
  const fail = (why: string) =>
    new ContainerConfigError(`MountVolume.SetUp failed for volume "${name}" : hostPath ${why}`, PROBLEMS.mount);
  // A symbolic link on the way might lead anywhere: where what is there already leads to decides.
  const mayBeMade = isUnder(endOf(path), allowed.map(endOf));
  if (type === "DirectoryOrCreate" && mayBeMade) Deno.mkdirSync(path, { recursive: true });
  const real = ifThere(() => Deno.realPathSync(path));
  if (real === undefined) throw fail(`type check failed: ${path} does not exist`);
  if (!isUnder(real, allowed.map(endOf))) throw fail(`${path} leads to ${real}, not allowed`);
  return real;
}

/** Returns the path without symbolic links, as far as it is there. */
function endOf(path: string): string {
  return ifThere(() => Deno.realPathSync(path)) ?? normalize(`${endOf(dirname(path))}/${basename(path)}`);
}
