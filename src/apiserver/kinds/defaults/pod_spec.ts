import type { Json } from "../../resource_kind.ts";
import { CORE_TYPES } from "../../schema/types/core.ts";
import { applyTypeDefaults } from "../../schema/type_defaults.ts";

const POD_SPEC = CORE_TYPES.struct("PodSpec");

/** The defaults of a Pod's spec, or a Pod template's: those of the type table, and those that depend on other fields. */
export function setPodSpecDefaults(spec: Json): void {
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  applyTypeDefaults(spec, POD_SPEC);
  mirrorServiceAccount(spec);
  for (const container of allContainers(spec)) container.imagePullPolicy ??= pullPolicy(container.image);
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

/** A first part is a host where it has a dot, a port or capitals; all others have none. */
const IMAGE =
  /^(?:(?=[^/]*[.:A-Z]|localhost\/)[\w.:[\]-]+\/)?[a-z\d]+(?:(?:[._/]|__|-+)[a-z\d]+)*(?::(?<tag>\w[\w.-]{0,127}))?(?<digest>@[A-Za-z][\w+.-]*:[\da-fA-F]{32,})?$/;

/** An image without a tag or digest, or with the tag `latest`, may be another one tomorrow. */
function pullPolicy(image = ""): string {
  const { tag, digest } = IMAGE.exec(image)?.groups ?? { digest: "none that can be read" };
  return (tag ?? (digest ? "" : "latest")) === "latest" ? "Always" : "IfNotPresent";
}

function setVolumeDefaults(volume: Json): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  if (volume.image) volume.image.pullPolicy ??= pullPolicy(volume.image.reference);
}
