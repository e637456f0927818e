import { isIPv6 } from "node:net";
import type { FieldError, Json } from "../../resource_kind.ts";
import { type Check, each, firstBy, ID, immutable, must, named, repeatedBy, rules } from "./check.ts";
import { duplicate, type Findings, forbidden, found, invalidValue } from "./field_errors.ts";
import { IP } from "./ip.ts";
import { qualifiedNameErrors, subdomainErrors } from "./names.ts";
import { validateObjectMetaUpdate } from "./object_meta.ts";
import { validatePodAnnotationUpdates } from "./pod_annotations.ts";

/** The Pod whose status is written, and the status that it had. */
interface Change {
  readonly pod: Json;
  readonly old: Json;
  readonly repeatedClaims: ReadonlySet<Json>;
  /** The names of the claims that the Pod wants. */
  readonly claims: ReadonlySet<string>;
}

const STATUSES = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
const SYSTEM_CONDITIONS = ["PodScheduled", "Ready", "Initialized"];
const OBSERVED_GENERATION = must("must be a non-negative integer", (generation: number) => generation >= 0);

const CONDITION = rules(
  "core validatePodConditions",
  ["observedGeneration", OBSERVED_GENERATION],
  ({ type = "" }, at) => !SYSTEM_CONDITIONS.includes(type) && named(qualifiedNameErrors)(type, `${at}.Type`),
);

const CLAIM = rules(
  "core validatePodResourceClaimStatuses",
  ({ name }, at, { claims }: Change) =>
    !claims.has(name) &&
    invalidValue(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`"),
  (claim, at, { repeatedClaims }: Change) => repeatedClaims.has(claim) && duplicate(`${at}.name`, claim.name),
  ({ resourceClaimName }, at) => resourceClaimName && named(subdomainErrors)(resourceClaimName, `${at}.name`),
);

const LINUX_USER = rules(
  "core validateLinuxContainerUser",
  [["uid", "gid"], ID],
  ["supplementalGroups", each(ID)],
);
const USER = rules("core validateContainerStatusUsers", [
  "linux",
  (user, at, { pod }: Change) =>
    pod.spec.os?.name === "windows" ? forbidden(at, "cannot be set for a windows pod") : LINUX_USER(user, at),
]);
const USERS = each(rules("core validateContainerStatusUsers", ["user", USER]));

const STATUS = rules(
  "core ValidatePodStatusUpdate",
  ["conditions", each(CONDITION)],
  [
    "nominatedNodeName",
    (name, at, { old }: Change) => name && name !== old.status?.nominatedNodeName && named(subdomainErrors)(name, at),
  ],
  ["observedGeneration", OBSERVED_GENERATION],
  ["qosClass", (qosClass, at, { old }: Change) => old.status?.qosClass && immutable(at, qosClass, old.status.qosClass)],
  (_status, at, change: Change) => STATUSES.map((list) => revivals(list, `${at}.${list}`, change)),
  ["resourceClaimStatuses", each(CLAIM)],
  ["podIPs", addresses("podIPs")],
  [
    "hostIPs",
    ([first], at, { pod }: Change) =>
      first && first.ip !== pod.status.hostIP && invalidValue(`${at}[0].ip`, first.ip, "must be equal to `hostIP`"),
  ],
  ["hostIPs", addresses("hostIPs")],
  [STATUSES, USERS],
);

/** Returns what is wrong with a write to the subresource `status`. */
export function validatePodStatusUpdate(pod: Json, old: Json): FieldError[] {
  const repeatedClaims = repeatedBy(pod.status?.resourceClaimStatuses ?? [], "name");
  const claims = new Set<string>((pod.spec.resourceClaims ?? []).map(({ name }: Json) => name));
  return found(
    validateObjectMetaUpdate(pod, old),
    validatePodAnnotationUpdates(pod, old),
    STATUS(pod.status ?? {}, "status", { pod, old, repeatedClaims, claims }),
  );
}

/** Core `validatePodIPs`, `validateHostIPs`: one address of each family; one that is wrong and was there may stay. */
function addresses(list: string): Check {
  return (items: Json[], at, { old }: Change) => {
    const known = new Set((old.status?.[list] ?? []).map(({ ip }: Json) => ip));
    const repeated = repeatedBy(items, "ip"), families = new Set(items.map(({ ip }) => isIPv6(ip)));
    return [
      items.map(({ ip }, index) => !known.has(ip) && IP(ip, `${at}[${index}]`)),
      items.map((item, index) => repeated.has(item) && duplicate(`${at}[${index}]`, { IP: item.ip })),
      items.length > families.size &&
      invalidValue(at, items.map(({ ip }) => ({ IP: ip })), "may specify no more than one IP for each IP family"),
    ];
  };
}

/** A container that has ended and is not restarted cannot run again. */
function revivals(list: string, at: string, { pod, old }: Change): Findings {
  const statuses = firstBy(pod.status?.[list] ?? [], "name");
  const containers = firstBy(old.spec[list === "containerStatuses" ? "containers" : "initContainers"] ?? [], "name");
  return (old.status?.[list] ?? []).map(({ name, state }: Json, index: number) => {
    const now = statuses.get(name), ended = state?.terminated;
    const restarts = list !== "ephemeralContainerStatuses" && ended &&
      isRestarted(containers.get(name), ended, old.spec);
    return ended && now && !now.state?.terminated && !restarts &&
      forbidden(`${at}[${index}].state`, "may not be transitioned to non-terminated state");
  });
}

/** Returns whether a container that ended so is started again; core `ContainerShouldRestart`. */
function isRestarted(container: Json | undefined, { exitCode }: Json, spec: Json): boolean {
  const { restartPolicy, restartPolicyRules = [] } = container ?? {};
  const isMeant = ({ exitCodes: { operator, values = [] } = {} }: Json) =>
    values.includes(exitCode) === (operator === "In");
  if (restartPolicy && restartPolicyRules.some(isMeant)) return true;
  const policy = restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
