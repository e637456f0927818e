import type { FieldError, Json } from "../../resource_kind.ts";
import { duplicate, invalidValue, notNegative, oneOf, required, tooLong, tooMany } from "./field_errors.ts";

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const MAX_INDEX_BYTES = 64 * 1024;
const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];

export function validatePodFailurePolicy(spec: Json, path: string): FieldError[] {
  const rules: Json[] = spec.podFailurePolicy.rules ?? [];
  if (rules.length > MAX_RULES) return [tooMany(`${path}.rules`, rules.length, MAX_RULES)];
  const containers = new Set<string>(
    [...(spec.template.spec.containers ?? []), ...(spec.template.spec.initContainers ?? [])].map(({ name }: Json) =>
      name
    ),
  );
  return rules.flatMap((rule, index) => validateRule(rule, `${path}.rules[${index}]`, spec, containers));
}

function validateRule(rule: Json, at: string, spec: Json, containers: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  if (!rule.action) {
    errors.push(required(`${at}.action`, `valid values: ${ACTIONS.map((one) => JSON.stringify(one)).join(", ")}`));
  } else if (rule.action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(`${at}.action`, rule.action, "requires the backoffLimitPerIndex to be set"));
  } else errors.push(...oneOf(`${at}.action`, rule.action, ACTIONS));
  if (rule.onExitCodes) errors.push(...validateExitCodes(rule.onExitCodes, `${at}.onExitCodes`, containers));
  const conditions: Json[] = rule.onPodConditions ?? [];
  if (conditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(`${at}.onPodConditions`, conditions.length, MAX_CONDITIONS));
  }
  for (const [index, { type, status }] of conditions.entries()) {
    const place = `${at}.onPodConditions[${index}]`;
    if (!type) errors.push(required(`${place}.type`));
    if (!status) errors.push(required(`${place}.status`, 'valid values: "False", "True", "Unknown"'));
    else errors.push(...oneOf(`${place}.status`, status, ["False", "True", "Unknown"]));
  }
  if (rule.onExitCodes && conditions.length > 0) {
    errors.push(invalidValue(at, "", "specifying both OnExitCodes and OnPodConditions is not supported"));
  } else if (!rule.onExitCodes && conditions.length === 0) {
    errors.push(invalidValue(at, "", "specifying one of OnExitCodes and OnPodConditions is required"));
  }
  return errors;
}

function validateExitCodes(exitCodes: Json, at: string, containers: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  if (!exitCodes.operator) errors.push(required(`${at}.operator`, 'valid values: "In", "NotIn"'));
  else errors.push(...oneOf(`${at}.operator`, exitCodes.operator, ["In", "NotIn"]));
  if (exitCodes.containerName !== undefined && !containers.has(exitCodes.containerName)) {
    errors.push(
      invalidValue(
        `${at}.containerName`,
        exitCodes.containerName,
        "must be one of the container or initContainer names in the pod template",
      ),
    );
  }
  const values: number[] = exitCodes.values ?? [];
  if (values.length === 0) errors.push(invalidValue(`${at}.values`, values, "at least one value is required"));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(`${at}.values`, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  let ordered = true;
  for (const [index, value] of values.entries()) {
    if (exitCodes.operator === "In" && value === 0) {
      errors.push(invalidValue(`${at}.values[${index}]`, value, "must not be 0 for the In operator"));
    }
    if (seen.has(value)) errors.push(duplicate(`${at}.values[${index}]`, value));
    seen.add(value);
    if (index > 0 && value < values[index - 1]) ordered = false;
  }
  if (!ordered) errors.push(invalidValue(`${at}.values`, values, "must be ordered"));
  return errors;
}

export function validateSuccessPolicy(spec: Json, path: string): FieldError[] {
  const at = `${path}.successPolicy`;
  const { successPolicy } = spec;
  if (!successPolicy) return [];
  if (spec.completionMode !== "Indexed") return [invalidValue(at, successPolicy, "requires indexed completion mode")];
  const rules: Json[] = successPolicy.rules ?? [];
  if (rules.length === 0) {
    return [required(`${at}.rules`, "at least one rules must be specified when the successPolicy is specified")];
  }
  if (rules.length > MAX_RULES) return [tooMany(`${at}.rules`, rules.length, MAX_RULES)];
  return rules.flatMap((rule, index) => validateSuccessRule(rule, `${at}.rules[${index}]`, spec.completions ?? 0));
}

function validateSuccessRule(rule: Json, at: string, completions: number): FieldError[] {
  const errors: FieldError[] = [];
  const { succeededIndexes, succeededCount } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined) {
    return [required(at, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  let listed: number | undefined;
  if (succeededIndexes !== undefined) {
    const parsed = countIndexes(succeededIndexes, completions);
    if (typeof parsed === "string") {
      errors.push(
        invalidValue(`${at}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${parsed}`),
      );
    } else listed = parsed;
    if (succeededIndexes.length > MAX_INDEX_BYTES) errors.push(tooLong(`${at}.succeededIndexes`, MAX_INDEX_BYTES));
  }
  if (succeededCount !== undefined) {
    errors.push(...notNegative(`${at}.succeededCount`, succeededCount));
    if (succeededCount > completions) {
      errors.push(
        invalidValue(
          `${at}.succeededCount`,
          succeededCount,
          `must be less than or equal to ${completions} (the number of specified completions)`,
        ),
      );
    }
    if (listed !== undefined && succeededCount > listed) {
      errors.push(
        invalidValue(
          `${at}.succeededCount`,
          succeededCount,
          `must be less than or equal to ${listed} (the number of indexes in the specified succeededIndexes field)`,
        ),
      );
    }
  }
  return errors;
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
