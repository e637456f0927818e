import type { Json } from "../../resource_kind.ts";
import { repeatedIndexes } from "../../sorted_keys.ts";
import { atMostBytes, atMostItems, type Check, each, named, NOT_NEGATIVE, oneOf, requiredAs, rules } from "./check.ts";
import {
  duplicate,
  type Findings,
  invalidState,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "./field_errors.ts";
import { qualifiedNameErrors } from "./names.ts";

const MAX_RULES = 20, MAX_EXIT_CODES = 255, MAX_CONDITIONS = 20, MAX_INDEX_BYTES = 64 * 1024;
const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];

/** Returns the row of a field that must have one of these values. */
function choice(field: string, values: readonly string[], check: Check = oneOf(...values)) {
  return [field, requiredAs(`must be one of ${values.join(", ")}`), check] as const;
}

const POD_CONDITION = rules(
  "batch validatePodFailurePolicyRuleOnPodConditions",
  ["type", named(qualifiedNameErrors)],
  choice("status", ["False", "True", "Unknown"]),
);
const OPERATOR = rules("batch validatePodFailurePolicyRuleOnExitCodes", choice("operator", ["In", "NotIn"]));
const RULE = rules(
  "batch validatePodFailurePolicyRule",
  choice(
    "action",
    ACTIONS,
    (action, at, { backoffLimitPerIndex }: Json) =>
      action === "FailIndex"
        ? backoffLimitPerIndex === undefined && invalidValue(at, action, "requires the backoffLimitPerIndex to be set")
        : !ACTIONS.includes(action) && notSupported(at, action, ACTIONS),
  ),
  ["onExitCodes", validateExitCodes],
  ["onPodConditions", atMostItems(MAX_CONDITIONS), each(POD_CONDITION)],
  ({ onExitCodes, onPodConditions = [] }, at) =>
    !onExitCodes === onPodConditions.length > 0 ? [] : invalidState(
      at,
      onExitCodes
        ? "specifying both OnExitCodes and OnPodConditions is not supported"
        : "specifying one of OnExitCodes and OnPodConditions is required",
    ),
);

const FAILURE_POLICY = rules(
  "batch validatePodFailurePolicy",
  ["rules", atMostItems(MAX_RULES), each(RULE)],
);

/** The parts of a Job's spec that the rules of a policy need. */
interface PolicyScope {
  readonly backoffLimitPerIndex?: number;
  readonly containerNames: ReadonlySet<string>;
}

export const validatePodFailurePolicy: Check = (policy, at, { backoffLimitPerIndex, template }: Json) => {
  const containers: Json[] = [template.spec.containers ?? [], template.spec.initContainers ?? []].flat();
  const containerNames = new Set(containers.map(({ name }) => name));
  return FAILURE_POLICY(policy, at, { backoffLimitPerIndex, containerNames });
};

function validateExitCodes(exitCodes: Json, at: string, { containerNames }: PolicyScope): Findings {
  const { operator, containerName } = exitCodes;
  const values: number[] = exitCodes.values ?? [];
  const repeated = new Set(repeatedIndexes(values));
  const unnamed = "must be one of the container or initContainer names in the pod template";
  return [
    OPERATOR(exitCodes, at),
    containerName !== undefined && !containerNames.has(containerName) &&
    invalidValue(`${at}.containerName`, containerName, unnamed),
    values.length === 0 && invalidValue(`${at}.values`, exitCodes.values, "at least one value is required"),
    values.length > MAX_EXIT_CODES && tooMany(`${at}.values`, values.length, MAX_EXIT_CODES),
    values.map((value, index) => [
      operator === "In" && value === 0 &&
      invalidValue(`${at}.values[${index}]`, value, "must not be 0 for the In operator"),
      repeated.has(index) && duplicate(`${at}.values[${index}]`, value),
    ]),
    values.some((value, index) => value < values[index - 1]!) &&
    invalidValue(`${at}.values`, values, "must be ordered"),
  ];
}

const SUCCESS_POLICY = rules("batch validateSuccessPolicy", [
  "rules",
  requiredAs("at least one rules must be specified when the successPolicy is specified"),
  atMostItems(MAX_RULES),
  each(validateSuccessRule),
]);

/** Returns what is wrong with the policy; only an Indexed Job may have one. */
export function validateSuccessPolicy(policy: Json, at: string, spec: Json): Findings {
  if (spec.completionMode !== "Indexed") {
    return invalidState(at, "requires indexed completion mode");
  }
  return SUCCESS_POLICY(policy, at, spec);
}

function validateSuccessRule(
  { succeededIndexes: text, succeededCount: count }: Json,
  at: string,
  { completions = 0 }: Json,
): Findings {
  if (count === undefined && text === undefined) {
    return required(at, "at least one of succeededCount or succeededIndexes must be specified");
  }
  const field = `${at}.succeededIndexes`, listed = countIndexes(text ?? "", completions);
  const tooMuch = (most: number, what: string) =>
    count > most &&
    invalidValue(`${at}.succeededCount`, count, `must be less than or equal to ${most} (the number of ${what})`);
  return [
    atMostBytes(MAX_INDEX_BYTES)(text ?? "", field),
    listed === undefined && invalidValue(field, text, indexesDemand(completions)),
    count !== undefined && [
      NOT_NEGATIVE(count, `${at}.succeededCount`),
      tooMuch(completions, "specified completions"),
      // Unreadable text lists no index.
      text !== undefined &&
      tooMuch(listed ?? 0, "indexes in the specified succeededIndexes field"),
    ],
  ];
}

/** Returns how many indexes `0,2-4` names; undefined where they do not rise, or do not lie below `completions`. */
export function countIndexes(text: string, completions: number): number | undefined {
  let count = 0, least = 0;
  for (const interval of text === "" ? [] : text.split(",")) {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(interval) ?? [];
    const first = Number(from), last = Number(to ?? from);
    const isRising = first >= least && (to === undefined || first < last);
    if (from === undefined || !isRising || last >= completions) return undefined;
    count += last - first + 1;
    least = last + 1;
  }
  return count;
}

/** Returns the demand on a list of indexes that {@linkcode countIndexes} cannot read. */
export function indexesDemand(completions: number): string {
  return `must be rising indexes below ${completions}, as in 0,2-4`;
}

/** Returns the first index that both texts name, as far as they can be read and their indexes rise. */
export function firstCommonIndex(one: string, other: string, completions: number): number | undefined {
  const intervals = (text: string) =>
    text.split(",").filter((interval) => interval && countIndexes(interval, completions) !== undefined)
      .map((interval) => interval.split("-").map(Number)).map(([first = 0, last = first]) => ({ first, last }));
  const left = intervals(one), right = intervals(other);
  for (let l = 0, r = 0; l < left.length && r < right.length;) {
    const a = left[l]!, b = right[r]!, first = Math.max(a.first, b.first);
    if (first <= Math.min(a.last, b.last)) return first;
    if (a.last < b.last) l++;
    else r++;
  }
  return undefined;
}
