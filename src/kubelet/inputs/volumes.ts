import type { Container, KeyToPath, Volume, VolumeMount } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";
import type { Notice } from "./check.ts";
import { ContainerConfigError, PROBLEMS } from "./config_error.ts";
import type { Contents, References } from "./references.ts";
import { ifThere, removePath } from "../files/disk.ts";

type Content = Map<string, { bytes: Uint8Array<ArrayBuffer>; mode: number }>;

const DEFAULT_MODE = 0o644;
const SCRATCH_MODE = 0o777;
const FILLED_MODE = 0o755;

/**
 * Lays out a Pod's volumes as directories, once: files of ConfigMaps and Secrets stay as they were when the Pod began.
 *
 * @param root `<root>/<volume name>` is the volume
 * @throws {ContainerConfigError} if a ConfigMap or Secret is missing and not optional
 */
export async function layOutVolumes(pod: Pod, root: string, references: References): Promise<void> {
  const fsGroup = Deno.uid() === 0 ? pod.spec?.securityContext?.fsGroup : undefined;
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.hostPath) continue;
    const directory = `${root}/${volume.name}`;
    // A link is there whether or not what it names is: containers make them as they like.
    if (ifThere(() => Deno.lstatSync(directory))) continue;
    const content = await contentOf(volume, references).catch((error) => {
      if (!(error instanceof ContainerConfigError)) throw error;
      const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`;
      throw new ContainerConfigError(message, { ...PROBLEMS.mount, cause: error });
    });
    // Filled aside and renamed, so that one that is there is whole.
    const aside = `${root}/.${volume.name}.new`;
    removePath(aside);
    // Containers have users of their own. The directory of all Pods keeps the machine's other users out.
    makeDirectory(aside, isScratch(volume) ? SCRATCH_MODE : FILLED_MODE, fsGroup);
    for (const [path, { bytes, mode }] of content) {
      for (const above of directoriesAbove(path)) makeDirectory(`${aside}/${above}`, FILLED_MODE, fsGroup);
      Deno.writeFileSync(`${aside}/${path}`, bytes, { mode: 0o600 });
      if (fsGroup !== undefined) Deno.chownSync(`${aside}/${path}`, null, fsGroup);
      Deno.chmodSync(`${aside}/${path}`, fsGroup === undefined ? mode : mode | 0o440);
    }
    Deno.renameSync(aside, directory);
  }
}

/** Returns whether a volume is empty at first: an `emptyDir`, which a volume without a source is too. */
export function isScratch(volume: Volume): boolean {
  return volume.emptyDir !== undefined || Object.keys(volume).length === 1;
}

/**
 * Returns where a container finds its volumes. Nothing can be mounted for a plain process, so each mount's directory is
 * named by a variable: volume `my-data` by `VOLUME_MY_DATA`.
 *
 * @throws {ContainerConfigError} as {@linkcode mountSource} does
 */
export function volumeVariables(container: Container, root: string): Record<string, string> {
  return Object.fromEntries(
    (container.volumeMounts ?? []).map((mount) => [variableOf(mount), mountSource(root, mount)]),
  );
}

/** Returns the notice of where to look instead of under `mountPath`, if the container mounts anything. */
export function mountNotice({ name, volumeMounts = [] }: Container): Notice[] {
  if (volumeMounts.length === 0) return [];
  const places = volumeMounts.map((mount) => `${mount.mountPath} is at $${variableOf(mount)}`);
  const message = `Container "${name}" is a plain process, for which nothing can be mounted: ${places.join(", ")}`;
  return [{ reason: "NotMounted", message }];
}

/**
 * Returns what is to be mounted for a mount of a container. A sub-directory that it names is made.
 *
 * @throws {ContainerConfigError} if a symbolic link stands in its way: a container may have made it, to what is not its own
 */
export function mountSource(root: string, mount: VolumeMount): string {
  const volume = `${root}/${mount.name}`;
  let path = volume;
  for (const part of mount.subPath ? checkedPath(mount.subPath).split("/") : []) {
    path += `/${part}`;
    const there = ifThere(() => Deno.lstatSync(path));
    if (!there) makeDirectory(path, SCRATCH_MODE);
    else if (there.isSymlink) {
      throw new ContainerConfigError(
        `failed to prepare subPath "${mount.subPath}" for volumeMount "${mount.name}": ` +
          `"${path.slice(volume.length + 1)}" is a symbolic link`,
      );
    }
  }
  return path;
}

/** Its mode is exact, whatever the process's umask. */
function makeDirectory(path: string, mode: number, group?: number): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  if (group !== undefined) Deno.chownSync(path, null, group);
  Deno.chmodSync(path, mode);
}

/** Returns `a`, `a/b` for `a/b/c`. */
function directoriesAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function variableOf(mount: VolumeMount): string {
  return `VOLUME_${mount.name.toUpperCase().replaceAll("-", "_")}`;
}

async function contentOf({ configMap, secret }: Volume, references: References): Promise<Content> {
  if (!configMap && !secret) return new Map();
  const [kind, name] = configMap ? ["ConfigMap", configMap.name!] as const : ["Secret", secret!.secretName!] as const;
  return filesOf(await references(kind, name), `${kind.toLowerCase()} "${name}"`, configMap ?? secret!);
}

function filesOf(
  contents: Contents | undefined,
  what: string,
  { items, optional, defaultMode = DEFAULT_MODE }: { items?: KeyToPath[]; optional?: boolean; defaultMode?: number },
): Content {
  const content: Content = new Map();
  if (!contents && !optional) throw new ContainerConfigError(`${what} not found`);
  const files = { ...contents?.data, ...contents?.binaryData };
  for (const { key, path, mode } of items ?? Object.keys(files).map((key): KeyToPath => ({ key, path: key }))) {
    if (files[key]) content.set(checkedPath(path), { bytes: files[key], mode: mode ?? defaultMode });
    else if (!optional) throw new ContainerConfigError(`references non-existent key of ${what}: ${key}`);
  }
  return content;
}

/** Nothing that a manifest names may lie outside of its volume. */
function checkedPath(path: string): string {
  if (path.startsWith("/") || path.split("/").includes("..")) {
    throw new ContainerConfigError(`path "${path}" must be relative and must not contain '..'`);
  }
  return path;
}
