import type { Json } from "../../resource_kind.ts";
import { compareQuantities, isMultipleOf, isWhole, sumOfQuantities } from "../../../kube/quantity.ts";
import type { PodScope } from "./pod_scope.ts";
import {
  duplicate,
  eachInvalid,
  type Findings,
  forbidden,
  invalidValue,
  notFound,
  notSupported,
  required,
} from "./field_errors.ts";
import { labelErrors, qualifiedNameErrors } from "./names.ts";

/** Core `standardContainerResources`. */
const OF_CONTAINERS = ["cpu", "ephemeral-storage", "memory"];
/** Core `standardResources`: of quotas and nodes too. */
const STANDARD = [
  ...OF_CONTAINERS,
  ...OF_CONTAINERS.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...["pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "persistentvolumeclaims"],
  ...["configmaps", "requests.storage", "storage", "services.nodeports", "services.loadbalancers"],
];
/** What the names of resources begin with that are large pages of one size. */
export const HUGE_PAGES = "hugepages-";

/** Core `ValidateContainerResourceRequirements`. Without a `scope` there are no claims. */
export function validateResources(
  { limits = {}, requests = {}, claims = [] }: Json,
  at: string,
  scope?: PodScope,
  nameErrors = containerResource,
): Findings {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const eachOf = (list: string, amounts: Json) =>
    sorted(amounts).map(([name, amount]) => [
      nameErrors(name, `${at}.${list}[${name}]`),
      validateAmount(name, amount, `${at}.${list}[${name}]`),
      list === "requests" && validateRequest(name, amount, limits[name], at),
    ]);
  const inPod: Json[] = scope?.spec.resourceClaims ?? [], seen = new Map<string, EarlierClaims>();
  const known = new Set<string>(inPod.map(({ name }) => name).filter((one) => one));
  return [
    eachOf("limits", limits),
    eachOf("requests", requests),
    names.some((name) => name.startsWith(HUGE_PAGES)) && !names.includes("cpu") && !names.includes("memory") &&
    forbidden(at, "HugePages require cpu or memory"),
    claims.map((claim: Json, index: number) => {
      const place = `${at}.claims[${index}]`;
      if (!claim.name) return required(place);
      const earlier = seen.getOrInsertComputed(claim.name, () => ({ count: 0, requests: new Set() }));
      const repeated = repeatedClaim(claim, earlier, place);
      earlier.count++;
      earlier.requests.add(claim.request || undefined);
      return [repeated, unknownClaim(claim.name, place, known)];
    }),
  ];
}

/** How often a claim stands there already, and with which of its requests; undefined among them where it is wanted whole. */
interface EarlierClaims {
  count: number;
  readonly requests: Set<string | undefined>;
}

/** A claim is wanted whole once, or each of its requests once. */
function repeatedClaim({ name, request }: Json, { count, requests }: EarlierClaims, at: string): Findings {
  if (requests.has(undefined)) return duplicate(at, name);
  if (!request) return Array.from({ length: count }, () => duplicate(at, name));
  return [
    eachInvalid(`${at}.request`, request, labelErrors(request)),
    requests.has(request) && duplicate(at, `${name}/${request}`),
  ];
}

/** Core `validateResourceClaimNames`. */
function unknownClaim(name: string, at: string, known: ReadonlySet<string>): Findings {
  if (known.has(name)) return [];
  const names = [...known].sort();
  const which = names.length === 0 ? " which is empty" : `: ${names.join(", ")}`;
  return notFound(at, name, `must be one of the names in pod.spec.resourceClaims${which}`);
}

/** Returns what a Pod has in all against what its containers want; core `validatePodResourceConsistency`. */
export function resourcesOfAll({ requests = {}, limits = {} }: Json, at: string, { spec }: PodScope): Findings {
  const wantedOf = amountsOfAll(spec, "requests");
  return [
    sorted(requests).map(([name, amount]) => {
      const wanted = wantedOf(name);
      const why = `must be greater than or equal to aggregate container requests of ${wanted}`;
      return compareQuantities(wanted, amount) > 0 && invalidValue(`${at}.requests[${name}]`, amount, why);
    }),
    (spec.containers ?? []).map(({ resources = {} }: Json, index: number) =>
      sorted(resources.limits ?? {}).map(([name, limit]) => {
        const why = `must be less than or equal to pod limits of ${limits[name]}`;
        return limits[name] !== undefined && compareQuantities(limit, limits[name]) > 0 &&
          invalidValue(`${at}.containers[${index}][${name}].limits`, limit, why);
      })
    ),
  ];
}

/** Returns what says how much of a resource a Pod's containers ask for at once, or may take. */
export function amountsOfAll(
  { containers = [], initContainers = [] }: Json,
  list: "requests" | "limits",
): (name: string) => string {
  const byName = (some: readonly Json[]) => {
    const naming = new Map<string, Json[]>();
    for (const container of some) {
      for (const name in container.resources?.[list]) naming.getOrInsertComputed(name, () => []).push(container);
    }
    return naming;
  };
  const [ordinary, initial] = [byName(containers), byName(initContainers)];
  return (name) => amountOfAll(name, { containers: ordinary.get(name), initContainers: initial.get(name) }, list);
}

/**
 * Returns how much containers ask for at once, or may take. Containers and sidecars run together; before them each init
 * container beside the sidecars that precede it.
 */
function amountOfAll(
  name: string,
  { containers = [], initContainers = [] }: Json,
  list: "requests" | "limits",
): string {
  const wantedBy = ({ resources }: Json): string => resources?.[list]?.[name] ?? "0";
  let sidecars = "0", most = "0";
  for (const container of initContainers) {
    const together = sumOfQuantities(sidecars, wantedBy(container));
    if (container.restartPolicy === "Always") sidecars = together;
    if (compareQuantities(together, most) > 0) most = together;
  }
  const later = sumOfQuantities(...containers.map(wantedBy), sidecars);
  return compareQuantities(later, most) > 0 ? later : most;
}

function validateAmount(name: string, amount: string, at: string): Findings {
  return [
    compareQuantities(amount, "0") < 0 && invalidValue(at, amount, "must be greater than or equal to 0"),
    !isWhole(amount) && !isDivisible(name) && invalidValue(at, amount, "must be an integer"),
    // Pages are taken whole.
    name.startsWith(HUGE_PAGES) && !isMultipleOf(name.slice(HUGE_PAGES.length), amount) &&
    invalidValue(at, amount, `${amount} is not positive integer multiple of ${name}`),
  ];
}

function isStandard(name: string, names: readonly string[]): boolean {
  return names.includes(name) || name.startsWith(HUGE_PAGES);
}

/** Core `validateResourceName`. */
function anyResource(name: string, at: string): Findings {
  const wrong = qualifiedNameErrors(name);
  if (wrong.length > 0) return eachInvalid(at, name, wrong);
  return !name.includes("/") && !isStandard(name, STANDARD) &&
    invalidValue(at, name, "must be a standard resource type or fully qualified");
}

/** Core `validatePodResourceName`: what a Pod can have in all. */
export function podResource(name: string, at: string): Findings {
  return anyResource(name, at) ||
    (!isStandard(name, ["cpu", "memory"]) && notSupported(at, name, ["cpu", HUGE_PAGES, "memory"]));
}

/** Core `validateContainerResourceName`. */
function containerResource(name: string, at: string): Findings {
  const isOwn = name.includes("/");
  return [
    anyResource(name, at),
    !isOwn && !isStandard(name, OF_CONTAINERS) && invalidValue(at, name, "must be a standard resource for containers"),
    isOwn && name.startsWith("requests.") && invalidValue(at, name, "doesn't follow extended resource name standard"),
  ];
}

/** Kubernetes has parts of CPUs and of bytes, but counts what others have added. */
function isDivisible(name: string): boolean {
  return !isCounted(name) || name.startsWith(HUGE_PAGES);
}

/** An extended resource, of which a node gives away no more than it has; core `IsOvercommitAllowed`. */
function isCounted(name: string): boolean {
  return name.startsWith(HUGE_PAGES) || (name.includes("/") && !name.includes("kubernetes.io/"));
}

function validateRequest(name: string, amount: string, limit: string | undefined, at: string): Findings {
  if (limit === undefined) {
    return isCounted(name) && required(`${at}.limits`, "Limit must be set for non overcommitable resources");
  }
  const difference = compareQuantities(amount, limit);
  const what = isCounted(name) && difference !== 0 ? "equal to" : difference > 0 && "less than or equal to";
  return what && invalidValue(`${at}.requests`, amount, `must be ${what} ${name} limit of ${limit}`);
}

function sorted(amounts: Json): [string, string][] {
  return Object.entries(amounts).sort(([a], [b]) => a < b ? -1 : 1) as [string, string][];
}
