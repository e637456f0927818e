import type { Container, PodSecurityContext, SecurityContext, Volume, VolumeMount } from "kubernetes-types/core/v1";
import { unitsOf } from "../../kube/quantity.ts";
import type { Pod } from "../../kube/resource.ts";
import { ContainerConfigError } from "../inputs/config_error.ts";
import { expand } from "../inputs/env.ts";
import type { Image, StartOrder } from "../runtime.ts";
import { isScratch, mountSource } from "../inputs/volumes.ts";
import { podLabels } from "./container_names.ts";
import type { EngineOptions } from "./engine_options.ts";
import { hostSource } from "./host_paths.ts";
import type { Placement } from "./sandboxes.ts";

/** docker's own copy of the output is counted through, and must be whole: such a file never turns over. */
const NEVER = "1000t";

/**
 * Returns what the engine is asked to create for a run, in the words of Docker's API.
 *
 * @param placement puts it into its Pod's sandbox, or into a network of its own
 */
export function containerBody(
  order: StartOrder,
  placement: Placement,
  { api: { engine }, dataDir, hostPaths }: Pick<EngineOptions, "api" | "dataDir" | "hostPaths">,
): object {
  const { pod, container, env } = order;
  const security = container.securityContext ?? {};
  const ofPod = pod.spec?.securityContext ?? {};
  const words = (given: readonly string[] = []) => given.map((word) => expand(word, env));
  const { user, group } = userOf(ofPod, security, order.image!);
  const { HostConfig, ...placed } = placement;
  return {
    Image: order.image!.id,
    ...container.command?.length ? { Entrypoint: words(container.command) } : {},
    ...container.command?.length || container.args?.length ? { Cmd: words(container.args) } : {},
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: podLabels(pod, dataDir),
    ...container.workingDir ? { WorkingDir: container.workingDir } : {},
    ...user === undefined ? {} : { User: group === undefined ? user : `${user}:${group}` },
    ...placed,
    HostConfig: {
      ...HostConfig,
      LogConfig: engine === "podman"
        ? { Type: "k8s-file", Config: { path: order.files.log } }
        : { Type: "json-file", Config: { "max-size": NEVER } },
      GroupAdd: [...ofPod.supplementalGroups ?? [], ...ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup]].map(String),
      ...securityFields(security),
      ...limitFields(container),
      Mounts: mountFields(order, hostPaths),
    },
  };
}

/** Returns the user and group. What the container says goes before what the Pod says, and that before the image. */
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

function securityFields(security: SecurityContext): object {
  // A privileged container has all capabilities, whatever it adds and drops.
  const { drop = [], add = [] } = security.privileged ? {} : security.capabilities ?? {};
  return {
    Privileged: security.privileged ?? false,
    ReadonlyRootfs: security.readOnlyRootFilesystem ?? false,
    SecurityOpt: ["label=disable", ...security.allowPrivilegeEscalation === false ? ["no-new-privileges"] : []],
    CapDrop: drop,
    CapAdd: add,
  };
}

/** The scale of processor shares: so many are one processor. */
const SHARES = 1024;

function limitFields({ resources }: Container): object {
  const { limits = {}, requests = {} } = resources ?? {};
  const memory = unitsOf(limits.memory ?? "0", "whole");
  const cpuMillis = unitsOf(limits.cpu ?? "0", "milli");
  const shares = Math.floor(unitsOf(requests.cpu ?? limits.cpu ?? "0", "milli") * SHARES / 1000);
  return {
    // No swap, as on Kubernetes.
    ...memory > 0 ? { Memory: memory, MemorySwap: memory } : {},
    ...cpuMillis > 0 ? { NanoCpus: cpuMillis * 1_000_000 } : {},
    ...shares > 0 ? { CpuShares: Math.max(2, shares) } : {},
  };
}

/** Where a container's termination message is, unless it says otherwise. */
const MESSAGE_PATH = "/dev/termination-log";

function mountFields(order: StartOrder, hostPaths: readonly string[]): object[] {
  const { container, files } = order;
  const mounts = mountsOf(order, hostPaths).map(({ source, mount, isFilled }) =>
    bindMount(source, mount.mountPath, { readOnly: (mount.readOnly ?? false) || isFilled })
  );
  const path = container.terminationMessagePath || MESSAGE_PATH;
  return [...mounts, bindMount(files.message, path, { readOnly: false })];
}

function mountsOf({ pod, container, env, volumes }: StartOrder, hostPaths: readonly string[]) {
  return (container.volumeMounts ?? []).map((mount) => {
    const volume = pod.spec?.volumes?.find(({ name }) => name === mount.name);
    const path = mount.subPathExpr ? { ...mount, subPath: expand(mount.subPathExpr, env) } : mount;
    const source = volume?.hostPath ? ofMachine(volume, path, hostPaths) : mountSource(volumes, path);
    // The volumes that Kubernetes fills are Kubernetes' own.
    const isFilled = volume !== undefined && !volume.hostPath && !isScratch(volume);
    return { mount, source, isFilled };
  });
}

function ofMachine(volume: Volume, { subPath }: VolumeMount, allowed: readonly string[]): string {
  if (!subPath) return hostSource(volume, allowed);
  throw new ContainerConfigError(`subPath "${subPath}" of a hostPath is not supported here: name the whole path`);
}

function bindMount(source: string, target: string, { readOnly }: { readonly readOnly: boolean }): object {
  for (const path of [source, target]) {
    if (/[,"]/.test(path)) throw new ContainerConfigError(`path ${path} cannot be mounted: it has a comma or a quote`);
  }
  return {
    Type: "bind",
    Source: source,
    Target: target,
    ReadOnly: readOnly,
    BindOptions: { Propagation: "rprivate" },
  };
}
