import type { Json } from "../../resource_kind.ts";
import { KUBERNETES_TYPES } from "../../schema/kubernetes_types.ts";
import { applyTypeDefaults } from "../../schema/type_defaults.ts";

const POD_SPEC = KUBERNETES_TYPES.struct("core.PodSpec");

/** What Kubernetes assumes in the spec of a Pod or of a Pod template: what the type table says, and what depends on more. */
export function setPodSpecDefaults(spec: Json): void {
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  applyTypeDefaults(spec, POD_SPEC);
  mirrorServiceAccount(spec);
  for (const container of allContainers(spec)) setContainerDefaults(container, spec.hostNetwork === true);
  dropWhatIsOff(spec);
}

/** Fields that Kubernetes 1.36 knows and yet does not keep, as their features are not switched on. */
function dropWhatIsOff(spec: Json): void {
  delete spec.schedulingGroup;
  for (const { lifecycle } of allContainers(spec)) delete lifecycle?.stopSignal;
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
}

/** Returns every container of a Pod spec: ordinary, init, ephemeral. */
export function allContainers(spec: Json): Json[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The account has an old and a new name for the same field. */
function mirrorServiceAccount(spec: Json): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function setContainerDefaults(container: Json, hostNetwork: boolean): void {
  container.imagePullPolicy ??= pullPolicy(container.image);
  if (hostNetwork) { for (const port of container.ports ?? []) port.hostPort ??= port.containerPort; }
}

/** An image without a tag or digest, or with the tag `latest`, may be another one tomorrow. */
function pullPolicy(image = ""): string {
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  return !image.includes("@") && (tag === undefined || tag === "latest") ? "Always" : "IfNotPresent";
}

function setVolumeDefaults(volume: Json): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  if (volume.image) volume.image.pullPolicy ??= pullPolicy(volume.image.reference);
}
