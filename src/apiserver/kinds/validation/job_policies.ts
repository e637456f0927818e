import type { FieldError, Json } from "../../resource_kind.ts";
import { each, named, NOT_NEGATIVE, oneOf, rules } from "./check.ts";
import { duplicate, invalidState, invalidValue, notSupported, required, tooLong, tooMany } from "./field_errors.ts";
import { qualifiedNameErrors } from "./names.ts";

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const MAX_INDEX_BYTES = 64 * 1024;
const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];

/** Fields whose values Kubernetes names where none is given. */
function choice(field: string, values: readonly string[]) {
  const detail = `valid values: ${listed(values)}`;
  return ["", (object: Json, at: string): FieldError[] => {
    const place = `${at}.${field}`, value = object[field];
    return value ? oneOf(...values)(value, place, undefined) : [required(place, detail)];
  }] as const;
}

/** As Go prints a list of texts. */
function listed(values: readonly string[]): string {
  return `[${values.map((one) => JSON.stringify(one)).join(" ")}]`;
}

const POD_CONDITION = rules(
  "batch validatePodFailurePolicyRuleOnPodConditions",
  ["type", named(qualifiedNameErrors)],
  choice("status", ["False", "True", "Unknown"]),
);
const RULE = rules<Json>(
  "batch validatePodFailurePolicyRule",
  ["", ruleAction],
  ["onExitCodes", validateExitCodes],
  ["onPodConditions", (conditions: Json[], at, spec) => [
    ...(conditions.length > MAX_CONDITIONS ? [tooMany(at, conditions.length, MAX_CONDITIONS)] : []),
    ...each(POD_CONDITION)(conditions, at, spec),
  ]],
  ["", ({ onExitCodes, onPodConditions = [] }: Json, at) => {
    if (!onExitCodes === onPodConditions.length > 0) return [];
    return [invalidState(
      at,
      onExitCodes
        ? "specifying both OnExitCodes and OnPodConditions is not supported"
        : "specifying one of OnExitCodes and OnPodConditions is required",
    )];
  }],
);

export function validatePodFailurePolicy(policy: Json, path: string, spec: Json): FieldError[] {
  const rules: Json[] = policy.rules ?? [];
  const at = `${path}.rules`;
  return [
    ...(rules.length > MAX_RULES ? [tooMany(at, rules.length, MAX_RULES)] : []),
    ...each(RULE)(rules, at, spec),
  ];
}

function ruleAction({ action }: Json, path: string, { backoffLimitPerIndex }: Json): FieldError[] {
  const at = `${path}.action`;
  if (!action) return [required(at, `valid values: ${listed(ACTIONS)}`)];
  if (action !== "FailIndex") return ACTIONS.includes(action) ? [] : [notSupported(at, action, ACTIONS)];
  return backoffLimitPerIndex === undefined
    ? [invalidValue(at, action, "requires the backoffLimitPerIndex to be set")]
    : [];
}

function validateExitCodes(exitCodes: Json, at: string, { template }: Json): FieldError[] {
  const { operator, containerName } = exitCodes;
  const values: number[] = exitCodes.values ?? [];
  const containers = [...(template.spec.containers ?? []), ...(template.spec.initContainers ?? [])];
  const isOrdered = values.every((value: number, index: number) => index === 0 || values[index - 1] <= value);
  const isNamed = containerName === undefined || containers.some(({ name }: Json) => name === containerName);
  return [
    ...OPERATOR(exitCodes, at, undefined),
    ...(isNamed ? [] : [invalidValue(
      `${at}.containerName`,
      containerName,
      "must be one of the container or initContainer names in the pod template",
    )]),
    ...(values.length === 0
      ? [invalidValue(`${at}.values`, exitCodes.values, "at least one value is required")]
      : values.length > MAX_EXIT_CODES
      ? [tooMany(`${at}.values`, values.length, MAX_EXIT_CODES)]
      : []),
    ...values.flatMap((value: number, index: number) => [
      ...(operator === "In" && value === 0
        ? [invalidValue(`${at}.values[${index}]`, value, "must not be 0 for the In operator")]
        : []),
      ...(values.indexOf(value) < index ? [duplicate(`${at}.values[${index}]`, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalidValue(`${at}.values`, values, "must be ordered")]),
  ];
}

const OPERATOR = rules("batch validatePodFailurePolicyRuleOnExitCodes", choice("operator", ["In", "NotIn"]));

export function validateSuccessPolicy(policy: Json, at: string, spec: Json): FieldError[] {
  if (spec.completionMode !== "Indexed") return [invalidValue(at, policy, "requires indexed completion mode")];
  const rules: Json[] = policy.rules ?? [];
  return [
    ...(rules.length === 0
      ? [required(`${at}.rules`, "at least one rules must be specified when the successPolicy is specified")]
      : rules.length > MAX_RULES
      ? [tooMany(`${at}.rules`, rules.length, MAX_RULES)]
      : []),
    ...rules.flatMap((rule: Json, index: number) =>
      validateSuccessRule(rule, `${at}.rules[${index}]`, spec.completions ?? 0)
    ),
  ];
}

function validateSuccessRule(
  { succeededIndexes, succeededCount }: Json,
  at: string,
  completions: number,
): FieldError[] {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    return [required(at, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  const field = `${at}.succeededIndexes`;
  const listed = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions);
  const tooMuch = (most: number, what: string) =>
    succeededCount > most
      ? [
        invalidValue(
          `${at}.succeededCount`,
          succeededCount,
          `must be less than or equal to ${most} (the number of ${what})`,
        ),
      ]
      : [];
  return [
    ...(succeededIndexes?.length > MAX_INDEX_BYTES ? [tooLong(field, MAX_INDEX_BYTES)] : []),
    ...(typeof listed === "string"
      ? [invalidValue(field, succeededIndexes, `error parsing succeededIndexes: ${listed}`)]
      : []),
    ...(succeededCount === undefined ? [] : [
      ...NOT_NEGATIVE(succeededCount, `${at}.succeededCount`, undefined),
      ...tooMuch(completions, "specified completions"),
      // What cannot be read lists none.
      ...(listed === undefined
        ? []
        : tooMuch(typeof listed === "string" ? 0 : listed, "indexes in the specified succeededIndexes field")),
    ]),
  ];
}

/** How many indexes `0,2-4` names, or what is wrong with it: indexes rise and lie below `completions`. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let count = 0, last: number | undefined;
  for (const interval of text.split(",")) {
    const ends = interval.split("-");
    if (ends.length > 2) {
      return `the fragment ${
        JSON.stringify(interval)
      } violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    const numbers: number[] = [];
    for (const end of ends) {
      if (!/^\d+$/.test(end)) return `cannot convert string to integer for index: ${JSON.stringify(end)}`;
      const number = Number(end);
      if (number >= completions) return `too large index: ${JSON.stringify(end)}`;
      numbers.push(number);
    }
    const [first, second = first] = numbers;
    if (last !== undefined && last >= first) return `non-increasing order, previous: ${last}, current: ${first}`;
    if (ends.length === 2 && first >= second) return `non-increasing order, previous: ${first}, current: ${second}`;
    count += second - first + 1;
    last = second;
  }
  return count;
}

/** The first index that both texts name, as far as they can be read. */
export function firstCommonIndex(one: string, other: string, completions: number): number | undefined {
  const intervals = (text: string) =>
    text.split(",").filter((interval) => interval && typeof countIndexes(interval, completions) === "number")
      .map((interval) => interval.split("-").map(Number)).map(([first, last = first]) => ({ first, last }));
  const others = intervals(other);
  const common = intervals(one).flatMap(({ first, last }) =>
    others.filter((each) => first <= each.last && each.first <= last).map((each) => Math.max(first, each.first))
  );
  return common[0];
}
