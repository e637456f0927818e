import type { Container, KeyToPath, Volume, VolumeMount } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { ContainerConfigError, decodeBase64, FailedMount, podField, type References } from "./container_env.ts";

type Content = Map<string, { bytes: Uint8Array<ArrayBuffer>; mode: number }>;

const DEFAULT_MODE = 0o644;

/**
 * Lays out a Pod's volumes as directories, once: files of ConfigMaps and Secrets stay as they were when the Pod began.
 *
 * @param root `<root>/<volume name>` is the volume
 * @throws {FailedMount} if a ConfigMap or Secret is missing and not optional
 */
export async function layOutVolumes(pod: Pod, root: string, references: References): Promise<void> {
  for (const volume of pod.spec?.volumes ?? []) {
    const directory = `${root}/${volume.name}`;
    if (exists(directory)) continue;
    const content = await contentOf(pod, volume, references).catch((error) => {
      if (!(error instanceof ContainerConfigError)) throw error;
      const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`;
      throw new FailedMount(message, { cause: error });
    });
    // Filled aside and renamed, so that one that is there is whole.
    const aside = `${root}/.${volume.name}.new`;
    if (exists(aside)) Deno.removeSync(aside, { recursive: true });
    Deno.mkdirSync(aside, { recursive: true, mode: 0o700 });
    for (const [path, { bytes, mode }] of content) {
      const slash = path.lastIndexOf("/");
      if (slash > 0) Deno.mkdirSync(`${aside}/${path.slice(0, slash)}`, { recursive: true, mode: 0o700 });
      Deno.writeFileSync(`${aside}/${path}`, bytes, { mode });
    }
    Deno.renameSync(aside, directory);
  }
}

/**
 * Where a container finds its volumes. Nothing can be mounted for a plain process, so each mount's directory is named by
 * a variable: volume `my-data` by `VOLUME_MY_DATA`.
 */
export function volumeVariables(container: Container, root: string): Record<string, string> {
  return Object.fromEntries(
    (container.volumeMounts ?? []).map((mount) => [variableOf(mount), pathIn(root, mount)]),
  );
}

/** For an event: where to look instead of under `mountPath`. Undefined if the container mounts nothing. */
export function mountNotice(container: Container): string | undefined {
  const mounts = container.volumeMounts ?? [];
  if (mounts.length === 0) return undefined;
  const places = mounts.map((mount) => `${mount.mountPath} is at $${variableOf(mount)}`);
  return `Container "${container.name}" is a plain process, for which nothing can be mounted: ${places.join(", ")}`;
}

/** Makes sure that sub-directories which mounts name by `subPath` are there, as a mount does. */
export function makeSubPaths(container: Container, root: string): void {
  for (const mount of container.volumeMounts ?? []) {
    if (!mount.subPath) continue;
    const path = pathIn(root, mount);
    if (!exists(path)) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}

function variableOf(mount: VolumeMount): string {
  return `VOLUME_${mount.name.toUpperCase().replaceAll("-", "_")}`;
}

function pathIn(root: string, mount: VolumeMount): string {
  return `${root}/${mount.name}${mount.subPath ? `/${checkedPath(mount.subPath)}` : ""}`;
}

async function contentOf(pod: Pod, volume: Volume, references: References): Promise<Content> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const sources = projected?.sources ?? [{
    ...configMap && { configMap },
    ...secret && { secret: { ...secret, name: secret.secretName } },
    ...downwardAPI && { downwardAPI },
  }];
  const mode = (configMap ?? secret ?? downwardAPI ?? projected)?.defaultMode ?? DEFAULT_MODE;
  const content: Content = new Map();
  for (const source of sources) {
    if (source.configMap) {
      const found = await references.configMap(source.configMap.name!);
      add(content, found && configMapFiles(found), { ...source.configMap, kind: "configmap", mode });
    }
    if (source.secret) {
      const found = await references.secret(source.secret.name!);
      add(content, found && secretFiles(found), { ...source.secret, kind: "secret", mode });
    }
    for (const item of source.downwardAPI?.items ?? []) {
      if (!item.fieldRef) {
        throw new ContainerConfigError(`volume "${volume.name}": only fieldRef is supported in downwardAPI items`);
      }
      const bytes = new TextEncoder().encode(podField(pod, item.fieldRef.fieldPath));
      content.set(checkedPath(item.path), { bytes, mode: item.mode ?? mode });
    }
  }
  return content;
}

function configMapFiles({ data = {}, binaryData = {} }: { data?: Record<string, string>; binaryData?: unknown }) {
  return {
    ...Object.fromEntries(Object.entries(data).map(([key, text]) => [key, new TextEncoder().encode(text)])),
    ...secretFiles({ data: binaryData as Record<string, string> }),
  };
}

function secretFiles({ data = {} }: { data?: Record<string, string> }) {
  return Object.fromEntries(Object.entries(data).map(([key, base64]) => [key, decodeBase64(base64)]));
}

function add(
  content: Content,
  files: Record<string, Uint8Array<ArrayBuffer>> | undefined,
  source: { name?: string; kind: string; items?: KeyToPath[]; optional?: boolean; mode: number },
): void {
  if (!files) {
    if (source.optional) return;
    throw new ContainerConfigError(`${source.kind} "${source.name}" not found`);
  }
  const items = source.items ?? Object.keys(files).map((key): KeyToPath => ({ key, path: key }));
  for (const { key, path, mode } of items) {
    if (files[key]) content.set(checkedPath(path), { bytes: files[key], mode: mode ?? source.mode });
    else if (!source.optional) {
      throw new ContainerConfigError(`references non-existent ${source.kind} key: ${key}`);
    }
  }
}

/** Nothing that a manifest names may lie outside of its volume. */
function checkedPath(path: string): string {
  if (path.startsWith("/") || path.split("/").includes("..")) {
    throw new ContainerConfigError(`path "${path}" must be relative and must not contain '..'`);
  }
  return path;
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
