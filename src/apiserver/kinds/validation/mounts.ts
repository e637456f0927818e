import type { Json } from "../../resource_kind.ts";
import { DESCENDING_PATH, oneOf, repeatedBy } from "./check.ts";
import { type Findings, forbidden, invalidValue, notFound, notSupported, required } from "./field_errors.ts";
import type { PodScope } from "./pod_scope.ts";

/** Core `ValidateVolumeMounts`. Of some fields Kubernetes leaves out which mount it is. */
export function volumeMounts(
  { volumeMounts: mounts = [], volumeDevices = [], securityContext }: Json,
  path: string,
  { volumes }: PodScope,
): Findings {
  const at = `${path}.volumeMounts`, twins = repeatedBy(mounts, "mountPath");
  const deviceNames = valuesOf(volumeDevices, "name"), devicePaths = valuesOf(volumeDevices, "devicePath");
  return mounts.map((mount: Json, index: number) => {
    const place = `${at}[${index}]`, { name, mountPath, subPath, subPathExpr } = mount;
    const invalid = (field: string, why: string) => invalidValue(`${place}.${field}`, mount[field], why);
    return [
      !name && required(`${place}.name`),
      !volumes.has(name) && notFound(`${place}.name`, name),
      !mountPath && required(`${place}.mountPath`),
      twins.has(mount) && invalid("mountPath", "must be unique"),
      deviceNames.has(name) &&
      invalid("name", "must not already exist in volumeDevices"),
      devicePaths.has(mountPath) &&
      invalid("mountPath", "must not already exist as a path in volumeDevices"),
      subPath && DESCENDING_PATH(subPath, `${at}.subPath`),
      subPathExpr && subPath && invalid("subPathExpr", "subPathExpr and subPath are mutually exclusive"),
      subPathExpr && DESCENDING_PATH(subPathExpr, `${at}.subPathExpr`),
      propagation(mount, `${at}.mountPropagation`, securityContext?.privileged === true),
      recursiveReadOnly(mount, `${at}.recursiveReadOnly`),
    ];
  });
}

function propagation({ mountPropagation: mode }: Json, at: string, isPrivileged: boolean): Findings {
  return mode !== undefined && [
    oneOf("Bidirectional", "HostToContainer", "None")(mode, at),
    mode === "Bidirectional" && !isPrivileged &&
    forbidden(at, "Bidirectional mount propagation is available only to privileged containers"),
  ];
}

/** Core `validateMountRecursiveReadOnly`. */
function recursiveReadOnly(
  { recursiveReadOnly: mode, readOnly, mountPropagation = "None" }: Json,
  at: string,
): Findings {
  if (mode === undefined || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible") return notSupported(at, mode, ["Disabled", "Enabled", "IfPossible"]);
  return [
    !readOnly && forbidden(at, "may only be specified when readOnly is true"),
    mountPropagation !== "None" &&
    forbidden(at, "may only be specified when mountPropagation is None or not specified"),
  ];
}

/** Core `ValidateVolumeDevices`. */
export function volumeDevices(
  { volumeDevices: devices = [], volumeMounts = [] }: Json,
  path: string,
  { volumes }: PodScope,
): Findings {
  const nameTwins = repeatedBy(devices, "name"), pathTwins = repeatedBy(devices, "devicePath");
  const mountNames = valuesOf(volumeMounts, "name"), mountPaths = valuesOf(volumeMounts, "mountPath");
  return devices.map((device: Json, index: number) => {
    const place = `${path}.volumeDevices[${index}]`, { name, devicePath } = device, volume = volumes.get(name);
    const invalid = (field: string, why: string) => invalidValue(`${place}.${field}`, device[field], why);
    return [
      !name && required(`${place}.name`),
      nameTwins.has(device) && invalid("name", "must be unique"),
      !volume ? notFound(`${place}.name`, name) : !volume.persistentVolumeClaim && !volume.ephemeral &&
        invalid("name", "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"),
      !devicePath && required(`${place}.devicePath`),
      pathTwins.has(device) && invalid("devicePath", "must be unique"),
      devicePath?.split("/").includes("..") && invalid("devicePath", "can not contain backsteps ('..')"),
      mountNames.has(name) &&
      invalid("name", "must not already exist in volumeMounts"),
      mountPaths.has(devicePath) &&
      invalid("devicePath", "must not already exist as a path in volumeMounts"),
    ];
  });
}

function valuesOf(items: readonly Json[], field: string): ReadonlySet<unknown> {
  return new Set(items.map((item) => item[field]));
}
