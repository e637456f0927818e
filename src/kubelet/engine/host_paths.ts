import type { Container } from "kubernetes-types/core/v1";
import { basename, dirname, normalize } from "node:path/posix";
import type { Pod } from "../../kube/resource.ts";
import { FailedMount } from "../inputs/env.ts";
import { ifThere } from "../files/disk.ts";

/** Returns whether a path lies under one of these, as written. */
export function isUnder(path: string, allowed: readonly string[]): boolean {
  const clean = normalize(`${path}/`);
  return allowed.some((prefix) => clean.startsWith(normalize(`${prefix}/`)));
}

/** Returns the path without symbolic links, which is what was judged. */
export function hostSource(path: string, allowed: readonly string[]): string {
  const real = realPath(path);
  if (real !== undefined && isUnder(real, allowed.map(endOf))) return real;
  throw new FailedMount(`hostPath ${path} is not under a path that is allowed`);
}

/**
 * Checks the paths of the machine that a container mounts: each is there, of the type that its volume names, and lies where
 * it is allowed also when its symbolic links are followed.
 *
 * @throws {FailedMount} if not
 */
export function checkHostPaths(pod: Pod, container: Container, allowed: readonly string[]): void {
  for (const { name, hostPath } of pod.spec?.volumes ?? []) {
    if (!hostPath || !container.volumeMounts?.some((mount) => mount.name === name)) continue;
    const { path, type = "" } = hostPath;
    const fail = (why: string) => new FailedMount(`MountVolume.SetUp failed for volume "${name}" : hostPath ${why}`);
    if (type === "DirectoryOrCreate") createWithin(path, allowed);
    const real = realPath(path);
    if (real === undefined) throw fail(`type check failed: ${path} does not exist`);
    if (!isUnder(real, allowed.map(endOf))) {
      throw fail(`${path} leads to ${real}, not allowed`);
    }
    const { isDirectory, isFile } = Deno.statSync(real);
    if (type.startsWith("Directory") && !isDirectory) throw fail(`type check failed: ${path} is not a directory`);
    if (type === "File" && !isFile) throw fail(`type check failed: ${path} is not a file`);
  }
}

/** A symbolic link on the way might lead anywhere: where what is there already leads to decides. */
function createWithin(path: string, allowed: readonly string[]): void {
  if (isUnder(endOf(path), allowed.map(endOf))) Deno.mkdirSync(path, { recursive: true });
}

/** Returns the path without symbolic links, as far as it is there. */
function endOf(path: string): string {
  return realPath(path) ?? normalize(`${endOf(dirname(path))}/${basename(path)}`);
}

function realPath(path: string): string | undefined {
  return ifThere(() => Deno.realPathSync(path));
}
