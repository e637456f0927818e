import type { FieldError, Json } from "../../resource_kind.ts";
import { type Check, DESCENDING_PATH, each, forbid, must, named, oneOf, REQUIRED, rules, unique } from "./check.ts";
import { validateFieldReference, validateResourceReference, VARIABLE_FIELDS } from "./downward_api.ts";
import { duplicate, forbidden, invalidValue, notFound, notSupported, required } from "./field_errors.ts";
import { configKeyErrors, environmentNameErrors, labelErrors, portNameErrors, subdomainErrors } from "./names.ts";
import type { PodScope } from "./pod_scope.ts";
import { PORT_NUMBER, validateLifecycle, validateProbes } from "./probes.ts";
import { validateResources } from "./resources.ts";
import { SECURITY_CONTEXT } from "./security_context.ts";

const PORT = rules(
  "core validateContainerPorts",
  ["name", named(portNameErrors)],
  ["containerPort", requiredPort, PORT_NUMBER],
  ["hostPort", PORT_NUMBER],
  ["protocol", REQUIRED, oneOf("SCTP", "TCP", "UDP")],
);

function requiredPort(port: number, at: string): FieldError[] {
  return port === 0 ? [required(at)] : [];
}

const KEY_REFERENCE = rules(
  "core validateConfigMapKeySelector, validateSecretKeySelector",
  ["", ({ name = "" }: Json, at) => named(subdomainErrors)(name, `${at}.name`, undefined)],
  ["key", REQUIRED, named(configKeyErrors)],
);

const VARIABLE = rules(
  "core ValidateEnv",
  ["name", REQUIRED, named(environmentNameErrors)],
  ["", valueSource],
);

/** Core `validateEnvVarValueFrom`. */
const VALUE_SOURCES: Readonly<Record<string, Check>> = {
  fieldRef: (reference, at) => validateFieldReference(reference, at, VARIABLE_FIELDS),
  resourceFieldRef: (reference, at) => validateResourceReference(reference, at, false),
  configMapKeyRef: KEY_REFERENCE,
  secretKeyRef: KEY_REFERENCE,
  fileKeyRef: rules("core validateFileKeySelector", ["volumeName", REQUIRED], ["path", REQUIRED, DESCENDING_PATH], [
    "key",
    REQUIRED,
    named(environmentNameErrors),
  ]),
};

function valueSource({ value, valueFrom }: Json, path: string): FieldError[] {
  if (!valueFrom) return [];
  const at = `${path}.valueFrom`;
  const given = Object.keys(VALUE_SOURCES).filter((source) => valueFrom[source]);
  const errors = given.flatMap((source) => VALUE_SOURCES[source](valueFrom[source], `${at}.${source}`, undefined));
  const problem = given.length === 0
    ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
    : value
    ? "may not be specified when `value` is not empty"
    : given.length > 1
    ? "may not have more than one field specified at a time"
    : undefined;
  return problem ? [...errors, invalidValue(at, "", problem)] : errors;
}

const SOURCE_REFERENCE = rules("core validateConfigMapEnvSource, validateSecretEnvSource", [
  "name",
  REQUIRED,
  named((name) => subdomainErrors(name, true)),
]);
const SOURCE = rules(
  "core ValidateEnvFrom",
  ["prefix", named(environmentNameErrors)],
  ["configMapRef", SOURCE_REFERENCE],
  ["secretRef", SOURCE_REFERENCE],
);

/** Kubernetes leaves out which of the sources it is. */
function variableSources(sources: Json[], at: string): FieldError[] {
  return sources.flatMap((source, index) => {
    const errors = SOURCE(source, `${at}[${index}]`, undefined);
    const { configMapRef, secretRef } = source;
    const problem = configMapRef && secretRef
      ? "may not have more than one field specified at a time"
      : configMapRef || secretRef
      ? undefined
      : "must specify one of: `configMapRef` or `secretRef`";
    return problem ? [...errors, invalidValue(at, "", problem)] : errors;
  });
}

/** Core `ValidateVolumeMounts`. Of some fields Kubernetes leaves out which mount it is. */
function volumeMounts(
  { volumeMounts: mounts = [], volumeDevices = [], securityContext }: Json,
  path: string,
  scope: PodScope,
) {
  const at = `${path}.volumeMounts`;
  return mounts.flatMap((mount: Json, index: number) => {
    const place = `${at}[${index}]`, { name, mountPath } = mount;
    const invalid = (field: string, why: string) => [invalidValue(`${place}.${field}`, mount[field], why)];
    const inVolume = scope.volumes.get(name);
    return [
      ...(name ? [] : [required(`${place}.name`)]),
      ...(inVolume ? [] : [notFound(`${place}.name`, name)]),
      ...(mountPath ? [] : [required(`${place}.mountPath`)]),
      ...(mounts.slice(0, index).some((earlier: Json) => earlier.mountPath === mountPath)
        ? invalid("mountPath", "must be unique")
        : []),
      ...(volumeDevices.some((device: Json) => device.name === name)
        ? invalid("name", "must not already exist in volumeDevices")
        : []),
      ...(volumeDevices.some((device: Json) => device.devicePath === mountPath)
        ? invalid("mountPath", "must not already exist as a path in volumeDevices")
        : []),
      ...["subPath", "subPathExpr"].flatMap((field) =>
        mount[field] && inVolume?.image ? invalid(field, "not allowed in image volume sources") : []
      ),
      ...(mount.subPath ? DESCENDING_PATH(mount.subPath, `${at}.subPath`, undefined) : []),
      ...(mount.subPathExpr && mount.subPath
        ? invalid("subPathExpr", "subPathExpr and subPath are mutually exclusive")
        : []),
      ...(mount.subPathExpr ? DESCENDING_PATH(mount.subPathExpr, `${at}.subPathExpr`, undefined) : []),
      ...propagation(mount, at, securityContext?.privileged === true),
      ...recursiveReadOnly(mount, `${at}.recursiveReadOnly`),
    ];
  });
}

function propagation({ mountPropagation: mode }: Json, path: string, isPrivileged: boolean): FieldError[] {
  if (mode === undefined) return [];
  const at = `${path}.mountPropagation`;
  return [
    ...oneOf("Bidirectional", "HostToContainer", "None")(mode, at, undefined),
    ...(mode === "Bidirectional" && !isPrivileged
      ? [forbidden(at, "Bidirectional mount propagation is available only to privileged containers")]
      : []),
  ];
}

/** Core `validateMountRecursiveReadOnly`. */
function recursiveReadOnly(
  { recursiveReadOnly: mode, readOnly, mountPropagation = "None" }: Json,
  at: string,
): FieldError[] {
  if (mode === undefined || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible") {
    return [notSupported(at, mode, ["Disabled", "Enabled", "IfPossible"])];
  }
  return [
    ...(readOnly ? [] : [forbidden(at, "may only be specified when readOnly is true")]),
    ...(mountPropagation === "None"
      ? []
      : [forbidden(at, "may only be specified when mountPropagation is None or not specified")]),
  ];
}

/** Core `ValidateVolumeDevices`. */
function volumeDevices({ volumeDevices: devices = [], volumeMounts = [] }: Json, path: string, scope: PodScope) {
  return devices.flatMap((device: Json, index: number) => {
    const place = `${path}.volumeDevices[${index}]`, { name, devicePath } = device;
    const earlier: Json[] = devices.slice(0, index);
    const invalid = (field: string, why: string) => [invalidValue(`${place}.${field}`, device[field], why)];
    const volume = scope.volumes.get(name);
    return [
      ...(name ? [] : [required(`${place}.name`)]),
      ...(earlier.some((other) => other.name === name) ? invalid("name", "must be unique") : []),
      ...(!volume
        ? [notFound(`${place}.name`, name)]
        : volume.persistentVolumeClaim || volume.ephemeral
        ? []
        : invalid("name", "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")),
      ...(devicePath ? [] : [required(`${place}.devicePath`)]),
      ...(earlier.some((other) => other.devicePath === devicePath) ? invalid("devicePath", "must be unique") : []),
      ...(devicePath?.split("/").includes("..") ? invalid("devicePath", "can not contain backsteps ('..')") : []),
      ...(volumeMounts.some((mount: Json) => mount.name === name)
        ? invalid("name", "must not already exist in volumeMounts")
        : []),
      ...(volumeMounts.some((mount: Json) => mount.mountPath === devicePath)
        ? invalid("devicePath", "must not already exist as a path in volumeMounts")
        : []),
    ];
  });
}

/** Core `validateResizePolicy`, which leaves out which of the policies it is. */
function resizePolicy(policies: Json[], at: string, { spec }: PodScope): FieldError[] {
  return policies.flatMap(({ resourceName, restartPolicy }, index) => [
    ...(policies.slice(0, index).some((earlier) => earlier.resourceName === resourceName)
      ? [duplicate(`${at}[${index}]`, resourceName)]
      : []),
    ...(resourceName ? oneOf("cpu", "memory")(resourceName, at, undefined) : [required(at)]),
    ...(restartPolicy ? oneOf("NotRequired", "RestartContainer")(restartPolicy, at, undefined) : [required(at)]),
    ...(spec.restartPolicy === "Never" && restartPolicy !== "NotRequired"
      ? [invalidValue(at, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'")]
      : []),
  ]);
}

/** Of ordinary, init and ephemeral containers alike. */
const CONTAINER = rules<PodScope>(
  "core validateContainerCommon",
  ["name", REQUIRED, named(labelErrors)],
  ["image", REQUIRED],
  ["terminationMessagePolicy", REQUIRED, oneOf("File", "FallbackToLogsOnError")],
  ["ports", each(PORT), unique("name")],
  ["env", each(VARIABLE)],
  ["envFrom", variableSources],
  ["", volumeMounts],
  ["", volumeDevices],
  ["imagePullPolicy", REQUIRED, oneOf("Always", "IfNotPresent", "Never")],
  ["resources", validateResources],
  ["resizePolicy", resizePolicy],
  ["securityContext", SECURITY_CONTEXT],
);

const RESTART_RULE = rules(
  "core validateContainerRestartPolicy",
  ["action", REQUIRED, oneOf("Restart", "RestartAllContainers")],
  ["exitCodes", REQUIRED, rules("core validateContainerRestartPolicy", ["operator", REQUIRED, oneOf("In", "NotIn")])],
);

const REGULAR = rules<PodScope>(
  "core validateContainers",
  ["", CONTAINER],
  ["lifecycle", validateLifecycle],
  ["", validateProbes],
  ["restartPolicy", oneOf("Always", "Never", "OnFailure")],
  ["restartPolicyRules", each(RESTART_RULE)],
);

const NOT_OF_INIT = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];

const INIT = rules<PodScope>(
  "core validateInitContainers",
  ["", CONTAINER],
  ["restartPolicy", oneOf("Always", "Never", "OnFailure")],
);

const SIDECAR = rules<PodScope>("core validateInitContainers", ["lifecycle", validateLifecycle], ["", validateProbes]);

const ONCE = rules<PodScope>(
  "core validateInitContainers",
  ...NOT_OF_INIT.map((field) =>
    [field, forbid("may not be set for init containers without restartPolicy=Always")] as const
  ),
);

/** What is wrong with a Pod spec's containers, ordinary and init. */
export function validateContainers(spec: Json, path: string, scope: PodScope): FieldError[] {
  const containers: Json[] = spec.containers ?? [], initContainers: Json[] = spec.initContainers ?? [];
  const names = new Set<string>();
  const taken = (name: string, at: string) => {
    const isTaken = names.has(name);
    if (name) names.add(name);
    return isTaken ? [duplicate(`${at}.name`, name)] : [];
  };
  const at = `${path}.containers`;
  return [
    ...(containers.length === 0 ? [required(at)] : []),
    ...containers.flatMap((container, index) => {
      const place = `${at}[${index}]`;
      const [common, own] = [CONTAINER(container, place, scope), REGULAR(container, place, scope)];
      return [...common, ...taken(container.name, place), ...own.slice(common.length)];
    }),
    ...hostPortConflicts(containers, at),
    ...initContainers.flatMap((container, index) => {
      const place = `${path}.initContainers[${index}]`;
      return [
        ...INIT(container, place, scope),
        ...taken(container.name, place),
        ...hostPortConflicts([container], `${path}.initContainers`),
        ...(container.restartPolicy === "Always" ? SIDECAR : ONCE)(container, place, scope),
      ];
    }),
  ];
}

/** Core `AccumulateUniqueHostPorts`. */
function hostPortConflicts(containers: readonly Json[], path: string): FieldError[] {
  const seen = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ protocol, hostIP = "", hostPort }: Json, port: number) => {
      if (!hostPort) return [];
      const text = `${protocol}/${hostIP}/${hostPort}`, isTaken = seen.has(text);
      seen.add(text);
      return isTaken ? [duplicate(`${path}[${index}].ports[${port}].hostPort`, text)] : [];
    })
  );
}

/** What of a Pod's containers is looked at, but not of a template's. */
export const ONLY_OF_PODS = rules("core validateContainerOnlyForPod", [
  "image",
  must("must not have leading or trailing whitespace", (image: string) => image.trim() === image),
]);

/** Core `validatePodHostNetworkDeps`. */
export function hostNetworkPorts(spec: Json, path: string, isPod: boolean): FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }: Json, index: number) =>
    ports.flatMap(({ hostPort = 0, containerPort }: Json, port: number) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [invalidValue(
          `${path}.containers[${index}].ports[${port}].hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        )]
        : []
    )
  );
}
