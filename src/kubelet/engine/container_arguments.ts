import type { Container, PodSecurityContext, SecurityContext, VolumeMount } from "kubernetes-types/core/v1";
import { unitsOf } from "../../kube/quantity.ts";
import type { Pod } from "../../kube/resource.ts";
import { ContainerConfigError, expand } from "../inputs/env.ts";
import type { Image, StartOrder } from "../runtime.ts";
import { mountSource } from "../inputs/volumes.ts";
import type { EngineKind } from "./engine_kind.ts";
import { hostSource } from "./host_paths.ts";
import { sharesAny } from "./sandboxes.ts";

/** What a container's arguments are made from, besides the order. */
export interface ArgumentsOptions {
  readonly kind: EngineKind;
  /** That of the image, by which it is run. */
  readonly image: Image;
  /** The file that holds some of the variables. */
  readonly envFile: string;
  /** Names of those that are handed on from the engine's own. */
  readonly inherited: readonly string[];
  /** Paths of the machine that containers may mount what lies under. */
  readonly hostPaths: readonly string[];
}

/** Returns the part of `run`'s arguments that comes from the manifest: options, the image, and what is run in it. */
export function containerArguments(
  order: StartOrder,
  { kind, image, envFile, inherited, hostPaths }: ArgumentsOptions,
): string[] {
  const { pod, container, env } = order;
  const security = container.securityContext ?? {};
  const [program, ...rest] = (container.command ?? []).map((word) => expand(word, env));
  const args = (container.args ?? []).map((word) => expand(word, env));
  return [
    ...kind.containerArgs,
    ...container.workingDir ? ["--workdir", container.workingDir] : [],
    "--env-file",
    envFile,
    ...inherited.flatMap((name) => ["--env", name]),
    ...userArgs(pod.spec?.securityContext ?? {}, security, image),
    ...securityArgs(kind, security),
    ...limitArgs(container),
    ...mountArgs(order, hostPaths),
    ...program === undefined ? [] : kind.entrypointArgs(program),
    image.id,
    ...rest,
    ...args,
  ];
}

/** Returns the user and groups. What the container says goes before what the Pod says, and that before the image. */
function userArgs(ofPod: PodSecurityContext, own: SecurityContext, image: Image): string[] {
  const { user, group } = userOf(ofPod, own, image);
  const groups = [...ofPod.supplementalGroups ?? [], ...ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup]];
  return [
    ...user === undefined ? [] : ["--user", group === undefined ? user : `${user}:${group}`],
    ...groups.flatMap((each) => ["--group-add", String(each)]),
  ];
}

function userOf(ofPod: PodSecurityContext, own: SecurityContext, image: Image) {
  const asked = own.runAsUser ?? ofPod.runAsUser;
  const group = own.runAsGroup ?? ofPod.runAsGroup;
  if (asked === undefined && group === undefined) return {};
  return { user: asked === undefined ? image.user.split(":")[0] || "0" : String(asked), group };
}

/**
 * Checks `runAsNonRoot`.
 *
 * @throws {ContainerConfigError} worded as the kubelet's
 */
export function checkNonRoot(pod: Pod, container: Container, image: Image): void {
  const ofPod = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  if (!(own.runAsNonRoot ?? ofPod.runAsNonRoot)) return;
  const { user = image.user.split(":")[0] || "0" } = userOf(ofPod, own, image);
  if (user === "0") {
    throw new ContainerConfigError("container has runAsNonRoot and image will run as root");
  }
  if (!/^\d+$/.test(user)) {
    throw new ContainerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root`,
    );
  }
}

function securityArgs(kind: EngineKind, security: SecurityContext): string[] {
  // What it adds and drops says nothing of a container that has all there are.
  const { drop = [], add = [] } = security.privileged ? {} : security.capabilities ?? {};
  return [
    ...security.privileged ? ["--privileged"] : [],
    ...security.readOnlyRootFilesystem ? kind.readOnlyRootArgs : [],
    ...security.allowPrivilegeEscalation === false ? ["--security-opt", "no-new-privileges"] : [],
    ...drop.flatMap((name) => ["--cap-drop", name]),
    ...add.flatMap((name) => ["--cap-add", name]),
  ];
}

/** The scale of processor shares: so many are one processor. */
const SHARES = 1024;

function limitArgs({ resources }: Container): string[] {
  const { limits = {}, requests = {} } = resources ?? {};
  const memory = unitsOf(limits.memory ?? "0", "whole");
  const cpuMillis = unitsOf(limits.cpu ?? "0", "milli");
  const shares = Math.floor(unitsOf(requests.cpu ?? limits.cpu ?? "0", "milli") * SHARES / 1000);
  return [
    // No swap, as on Kubernetes.
    ...memory > 0 ? ["--memory", `${memory}b`, "--memory-swap", `${memory}b`] : [],
    ...cpuMillis > 0 ? ["--cpus", String(cpuMillis / 1000)] : [],
    ...shares > 0 ? ["--cpu-shares", String(Math.max(2, shares))] : [],
  ];
}

/** Where a container's termination message is, unless it says otherwise. */
const MESSAGE_PATH = "/dev/termination-log";

function mountArgs(order: StartOrder, hostPaths: readonly string[]): string[] {
  const { container, files } = order;
  const mounts = mountsOf(order, hostPaths).map(({ source, mount, isFilled }) =>
    mountArg(source, mount.mountPath, { readOnly: (mount.readOnly ?? false) || isFilled })
  );
  const message = mountArg(files.message, container.terminationMessagePath || MESSAGE_PATH, { readOnly: false });
  return [...mounts, message].flatMap((mount) => ["--volume", mount]);
}

/** Returns the paths that a container mounts and that other containers may exchange for something else meanwhile. */
export function exchangeableSources(order: StartOrder, hostPaths: readonly string[]): string[] {
  return mountsOf(order, hostPaths)
    .filter(({ isOfMachine, isFilled, mount }) =>
      isOfMachine || (!isFilled && (mount.subPath || mount.subPathExpr) && sharesAny(order.pod))
    )
    .map(({ source }) => source);
}

function mountsOf({ pod, container, env, volumes }: StartOrder, hostPaths: readonly string[]) {
  return (container.volumeMounts ?? []).map((mount) => {
    const volume = pod.spec?.volumes?.find(({ name }) => name === mount.name);
    const path = { ...mount, subPath: mount.subPathExpr ? expand(mount.subPathExpr, env) : mount.subPath };
    const source = volume?.hostPath ? ofMachine(volume.hostPath.path, path, hostPaths) : mountSource(volumes, path);
    const isOfMachine = volume?.hostPath !== undefined;
    // What Kubernetes fills is Kubernetes' own.
    const isFilled = volume !== undefined && !volume.emptyDir && !isOfMachine && Object.keys(volume).length > 1;
    return { mount, source, isOfMachine, isFilled };
  });
}

function ofMachine(path: string, { subPath }: VolumeMount, allowed: readonly string[]): string {
  if (!subPath) return hostSource(path, allowed);
  throw new ContainerConfigError(`subPath "${subPath}" of a hostPath is not supported here: name the whole path`);
}

function mountArg(source: string, target: string, { readOnly }: { readonly readOnly: boolean }): string {
  for (const path of [source, target]) {
    if (path.includes(":")) throw new ContainerConfigError(`path "${path}" cannot be mounted: it has a colon`);
  }
  return `${source}:${target}:${readOnly ? "ro" : "rw"},rprivate`;
}
