import type { Container } from "kubernetes-types/core/v1";
import { normalize } from "node:path/posix";
import type { Pod } from "../../kube/resource.ts";
import { FailedMount } from "../container_env.ts";

/** Returns whether a path lies under one of these, as written. */
export function isUnder(path: string, allowed: readonly string[]): boolean {
  const clean = normalize(`${path}/`);
  return allowed.some((prefix) => clean.startsWith(normalize(`${prefix}/`)));
}

/** Returns the path without symbolic links, which is what was judged. */
export function hostSource(path: string, allowed: readonly string[]): string {
  const real = realPath(path);
  if (real !== undefined && isUnder(real, realPaths(allowed))) return real;
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
    if (!isUnder(real, realPaths(allowed))) {
      throw fail(`${path} leads to ${real}, not allowed`);
    }
    const { isDirectory, isFile } = Deno.statSync(real);
    if (type.startsWith("Directory") && !isDirectory) throw fail(`type check failed: ${path} is not a directory`);
    if (type === "File" && !isFile) throw fail(`type check failed: ${path} is not a file`);
  }
}

/** A symbolic link on the way might lead anywhere: the nearest directory above that is there decides. */
function createWithin(path: string, allowed: readonly string[]): void {
  let above = path;
  while (above !== "/" && realPath(above) === undefined) above = normalize(`${above}/..`);
  const real = realPath(above);
  if (real !== undefined && isUnder(real, realPaths(allowed))) {
    Deno.mkdirSync(path, { recursive: true });
  }
}

function realPaths(paths: readonly string[]): string[] {
  return paths.map((path) => realPath(path) ?? path);
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
