import type { FieldError, Json } from "../../resource_kind.ts";
import { compareQuantities, isWhole, sumOfQuantities } from "../../../kube/quantity.ts";
import type { PodScope } from "./pod_scope.ts";
import { duplicate, eachInvalid, forbidden, invalidValue, notFound, required } from "./field_errors.ts";
import { qualifiedNameErrors } from "./names.ts";

/** Core `standardContainerResources`. */
const OF_CONTAINERS = ["cpu", "ephemeral-storage", "memory"];
/** Core `standardResources`: of quotas and nodes too. */
const STANDARD = [
  ...OF_CONTAINERS,
  ...["cpu", "ephemeral-storage", "memory"].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
  ],
  ...["requests.storage", "storage", "services.nodeports", "services.loadbalancers"],
];
const HUGE_PAGES = "hugepages-";

/** Core `ValidateContainerResourceRequirements`. Without a `scope` there are no claims. */
export function validateResources(
  { limits = {}, requests = {}, claims = [] }: Json,
  at: string,
  scope?: PodScope,
): FieldError[] {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  return [
    ...sorted(limits).flatMap(([name, amount]) => validateAmount(name, amount, `${at}.limits[${name}]`)),
    ...sorted(requests).flatMap(([name, amount]) => [
      ...validateAmount(name, amount, `${at}.requests[${name}]`),
      ...validateRequest(name, amount, limits[name], at),
    ]),
    ...(names.some((name) => name.startsWith(HUGE_PAGES)) && !names.includes("cpu") && !names.includes("memory")
      ? [forbidden(at, "HugePages require cpu or memory")]
      : []),
    ...claims.flatMap(({ name }: Json, index: number) => {
      const place = `${at}.claims[${index}]`;
      if (!name) return [required(place)];
      const isTaken = claims.slice(0, index).some((earlier: Json) => earlier.name === name);
      return [...isTaken ? [duplicate(place, name)] : [], ...unknownClaim(name, place, scope)];
    }),
  ];
}

/** Core `validateResourceClaimNames`. */
function unknownClaim(name: string, at: string, scope: PodScope | undefined): FieldError[] {
  const names: string[] = (scope?.spec.resourceClaims ?? []).map((claim: Json) => claim.name);
  if (names.includes(name)) return [];
  const which = names.length === 0 ? " which is empty" : `: ${names.sort().join(", ")}`;
  const { message, ...error } = notFound(at, name);
  return [{ ...error, message: `${message}: must be one of the names in pod.spec.resourceClaims${which}` }];
}

/** What a Pod has in all against what its containers want; core `validatePodResourceConsistency`. */
export function resourcesOfAll({ requests = {}, limits = {} }: Json, at: string, { spec }: PodScope): FieldError[] {
  return [
    ...sorted(requests).flatMap(([name, amount]) => {
      const wanted = wantedOf(name, spec);
      const why = `must be greater than or equal to aggregate container requests of ${wanted}`;
      return compareQuantities(wanted, amount) > 0 ? [invalidValue(`${at}.requests[${name}]`, amount, why)] : [];
    }),
    ...(spec.containers ?? []).flatMap(({ resources = {} }: Json, index: number) =>
      sorted(resources.limits ?? {}).flatMap(([name, limit]) =>
        limits[name] !== undefined && compareQuantities(limit, limits[name]) > 0
          ? [invalidValue(
            `${at}.containers[${index}][${name}].limits`,
            limit,
            `must be less than or equal to pod limits of ${limits[name]}`,
          )]
          : []
      )
    ),
  ];
}

/** Containers and sidecars run together; before them each init container beside the sidecars that precede it. */
function wantedOf(name: string, { containers = [], initContainers = [] }: Json): string {
  const wantedBy = ({ resources }: Json): string => resources?.requests?.[name] ?? "0";
  let sidecars = "0", most = "0";
  for (const container of initContainers) {
    const together = sumOfQuantities(sidecars, wantedBy(container));
    if (container.restartPolicy === "Always") sidecars = together;
    if (compareQuantities(together, most) > 0) most = together;
  }
  const later = sumOfQuantities(...containers.map(wantedBy), sidecars);
  return compareQuantities(later, most) > 0 ? later : most;
}

function validateAmount(name: string, amount: string, at: string): FieldError[] {
  return [
    ...validateName(name, at),
    ...(compareQuantities(amount, "0") < 0 ? [invalidValue(at, amount, "must be greater than or equal to 0")] : []),
    ...(isWhole(amount) || isDivisible(name) ? [] : [invalidValue(at, amount, "must be an integer")]),
  ];
}

/** Core `validateContainerResourceName`. */
function validateName(name: string, at: string): FieldError[] {
  const errors = eachInvalid(at, name, qualifiedNameErrors(name));
  const isStandard = (names: readonly string[]) => names.includes(name) || name.startsWith(HUGE_PAGES);
  if (errors.length === 0 && !name.includes("/") && !isStandard(STANDARD)) {
    errors.push(invalidValue(at, name, "must be a standard resource type or fully qualified"));
  }
  if (!name.includes("/") && !isStandard(OF_CONTAINERS)) {
    errors.push(invalidValue(at, name, "must be a standard resource for containers"));
  } else if (name.startsWith("requests.") && name.includes("/")) {
    errors.push(invalidValue(at, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

/** Kubernetes has parts of CPUs and of bytes, but counts what others have added. */
function isDivisible(name: string): boolean {
  return !isCounted(name) || name.startsWith(HUGE_PAGES);
}

/** A resource of somebody else's, of which a node gives away no more than it has; core `IsOvercommitAllowed`. */
function isCounted(name: string): boolean {
  return name.startsWith(HUGE_PAGES) || (name.includes("/") && !name.includes("kubernetes.io/"));
}

function validateRequest(name: string, amount: string, limit: string | undefined, at: string): FieldError[] {
  if (limit === undefined) {
    return isCounted(name) ? [required(`${at}.limits`, "Limit must be set for non overcommitable resources")] : [];
  }
  const difference = compareQuantities(amount, limit);
  const what = isCounted(name) && difference !== 0 ? "equal to" : difference > 0 ? "less than or equal to" : undefined;
  return what ? [invalidValue(`${at}.requests`, amount, `must be ${what} ${name} limit of ${limit}`)] : [];
}

function sorted(amounts: Json): [string, string][] {
  return Object.entries(amounts).sort(([a], [b]) => a < b ? -1 : 1) as [string, string][];
}
