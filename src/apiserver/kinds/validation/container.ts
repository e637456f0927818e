import { compareQuantities } from "../../../kube/quantity.ts";
import { ownValue } from "../../../base/own_value.ts";
import type { Json } from "../../resource_kind.ts";
import {
  between,
  type Check,
  DESCENDING_PATH,
  each,
  eachUnique,
  forbid,
  ID,
  must,
  named,
  oneOf,
  orElse,
  repeatedBy,
  REQUIRED,
  rules,
} from "./check.ts";
import { validateFieldReference, VARIABLE_FIELDS } from "./downward_api.ts";
import { duplicate, type Findings, invalidState, invalidValue, notFound, required } from "./field_errors.ts";
import { configKeyErrors, environmentNameErrors, labelErrors, portNameErrors, subdomainErrors } from "./names.ts";
import { validateProbes } from "./probes.ts";

/** The volumes of a Pod that can be mounted, by name. */
type Volumes = ReadonlyMap<string, Json>;

const PORT_NUMBER: Check = (port, at) => port !== 0 && between(1, 65535)(port, at);
const PORT = rules(
  "core validateContainerPorts",
  ["name", named(portNameErrors)],
  ["containerPort", (port, at) => port === 0 && required(at), PORT_NUMBER],
  ["hostPort", PORT_NUMBER],
  ["protocol", REQUIRED, oneOf("SCTP", "TCP", "UDP")],
);

const KEY_REFERENCE = rules(
  "core validateConfigMapKeySelector, validateSecretKeySelector",
  ["name", orElse(""), named(subdomainErrors)],
  ["key", REQUIRED, named(configKeyErrors)],
);

const VARIABLE = rules("core ValidateEnv", ["name", REQUIRED, named(environmentNameErrors)], valueSource);

/** Core `validateEnvVarValueFrom`. The kubelet refuses the sources without a rule here. */
const VALUE_SOURCES: Readonly<Record<string, Check | undefined>> = {
  fieldRef: (reference, at) => validateFieldReference(reference, at, VARIABLE_FIELDS),
  resourceFieldRef: undefined,
  configMapKeyRef: KEY_REFERENCE,
  secretKeyRef: KEY_REFERENCE,
  fileKeyRef: undefined,
};

const MORE_THAN_ONE = "may not have more than one field specified at a time";

function valueSource({ value, valueFrom }: Json, path: string): Findings {
  if (!valueFrom) return [];
  const at = `${path}.valueFrom`;
  const given = Object.entries(VALUE_SOURCES).filter(([source]) => valueFrom[source]);
  const problem = given.length === 0
    ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    : value
    ? "may not be specified when `value` is not empty"
    : given.length > 1 && MORE_THAN_ONE;
  return [
    given.map(([source, rulesOf]) => rulesOf?.(valueFrom[source], `${at}.${source}`)),
    problem && invalidValue(at, "", problem),
  ];
}

const SOURCE_REFERENCE = rules("core validateConfigMapEnvSource, validateSecretEnvSource", [
  "name",
  REQUIRED,
  named((name) => subdomainErrors(name, true)),
]);
const SOURCE = rules(
  "core ValidateEnvFrom",
  ["prefix", named(environmentNameErrors)],
  [["configMapRef", "secretRef"], SOURCE_REFERENCE],
);

/** Finds errors in sources of variables. As in Kubernetes, an error about a whole source does not say which it is. */
function variableSources(sources: Json[], at: string): Findings {
  return sources.map((source, index) => {
    const { configMapRef, secretRef } = source;
    return [
      SOURCE(source, `${at}[${index}]`),
      configMapRef && secretRef && invalidValue(at, "", MORE_THAN_ONE),
      !configMapRef && !secretRef && invalidValue(at, "", "must specify one of: `configMapRef` or `secretRef`"),
    ];
  });
}

/** Core `ValidateVolumeMounts`. */
function volumeMounts({ volumeMounts: mounts = [] }: Json, path: string, volumes: Volumes): Findings {
  const twins = repeatedBy(mounts, "mountPath");
  return mounts.map((mount: Json, index: number) => {
    const place = `${path}.volumeMounts[${index}]`, { name, mountPath, subPath, subPathExpr } = mount;
    const invalid = (field: string, why: string) => invalidValue(`${place}.${field}`, mount[field], why);
    return [
      !name && required(`${place}.name`),
      !volumes.has(name) && notFound(`${place}.name`, name),
      !mountPath && required(`${place}.mountPath`),
      twins.has(mount) && invalid("mountPath", "must be unique"),
      subPath && DESCENDING_PATH(subPath, `${place}.subPath`),
      subPathExpr && subPath && invalid("subPathExpr", "subPathExpr and subPath are mutually exclusive"),
      subPathExpr && DESCENDING_PATH(subPathExpr, `${place}.subPathExpr`),
    ];
  });
}

/** Core `ValidateContainerResourceRequirements`, as far as it judges amounts. */
function validateResources({ limits = {}, requests = {} }: Json, at: string): Findings {
  const negative = (list: string, amounts: Json) =>
    Object.entries<string>(amounts).map(([name, amount]) =>
      compareQuantities(amount, "0") < 0 &&
      invalidValue(`${at}.${list}[${name}]`, amount, "must be greater than or equal to 0")
    );
  return [
    negative("limits", limits),
    negative("requests", requests),
    Object.entries<string>(requests).map(([name, amount]) => {
      const limit = ownValue<string>(limits, name);
      return limit !== undefined && compareQuantities(amount, limit) > 0 &&
        invalidValue(`${at}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`);
    }),
  ];
}

/** Refuses, for a container without privilege escalation, the settings that allow as much. */
function escalation({ allowPrivilegeEscalation, privileged, capabilities }: Json, at: string): Findings {
  const conflict = (what: string) => invalidState(at, `allowPrivilegeEscalation cannot be false beside ${what}`);
  return allowPrivilegeEscalation === false && [
    privileged && conflict("privileged: true"),
    (capabilities?.add ?? []).includes("CAP_SYS_ADMIN") && conflict("the capability CAP_SYS_ADMIN"),
  ];
}

const SECURITY_CONTEXT: Check = rules(
  "core ValidateSecurityContext",
  [["runAsUser", "runAsGroup"], ID],
  ["procMount", oneOf("Default", "Unmasked")],
  escalation,
);

/** The rules for ordinary and init containers alike. */
const CONTAINER = rules(
  "core validateContainerCommon",
  ["name", REQUIRED, named(labelErrors)],
  ["image", REQUIRED],
  ["terminationMessagePolicy", REQUIRED, oneOf("File", "FallbackToLogsOnError")],
  ["ports", eachUnique("name", PORT)],
  ["env", each(VARIABLE)],
  ["envFrom", variableSources],
  volumeMounts,
  ["imagePullPolicy", REQUIRED, oneOf("Always", "IfNotPresent", "Never")],
  ["resources", validateResources],
  ["securityContext", SECURITY_CONTEXT],
  // No runtime here acts on `restartPolicyRules`.
  ["restartPolicy", oneOf("Always", "Never", "OnFailure")],
);

const ONCE = rules("core validateInitContainers", [
  ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"],
  forbid("may not be set for init containers without restartPolicy=Always"),
]);

/** Finds the errors of a Pod spec's containers, ordinary and init. */
export function validateContainers(spec: Json, path: string, volumes: Volumes): Findings {
  const names = new Set<string>();
  const check = (list: string, rulesOf: (container: Json) => Check) =>
    (spec[list] ?? []).map((container: Json, index: number) => {
      const place = `${path}.${list}[${index}]`, { name } = container;
      const isTaken = names.has(name);
      if (name) names.add(name);
      return [
        CONTAINER(container, place, volumes),
        isTaken && duplicate(`${place}.name`, name),
        rulesOf(container)(container, place),
      ];
    });
  return [
    !spec.containers?.length && required(`${path}.containers`),
    check("containers", () => validateProbes),
    check("initContainers", ({ restartPolicy }) => restartPolicy === "Always" ? validateProbes : ONCE),
  ];
}

/** Rules for the containers of a Pod that those of a template need not follow. */
export const ONLY_OF_PODS = rules("core validateContainerOnlyForPod", [
  "image",
  must("must not have leading or trailing whitespace", (image: string) => image.trim() === image),
]);
