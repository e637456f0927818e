import type { Json } from "../../resource_kind.ts";
import { repeatedIndexes } from "../../sorted_keys.ts";
import { type Check, each, must, named, oneOf, orElse, POSITIVE, repeatedBy, requiredAs, rules } from "./check.ts";
import {
  duplicate,
  eachInvalid,
  type Findings,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "./field_errors.ts";
import { NODE_REQUIREMENT, PREFERRED_NODE_REQUIREMENT, validateLabelSelector } from "./label_selector.ts";
import { labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";

const OPERATORS = ["Equal", "Exists"];
/** Known, but not switched on. */
const COMPARISONS = ["Lt", "Gt"];

const TOLERATION = rules(
  "core ValidateTolerations",
  ["key", named(qualifiedNameErrors)],
  tolerationOperator,
  ["effect", oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")],
);

function tolerationOperator(
  { key, operator = "", value = "", effect = "", tolerationSeconds }: Json,
  at: string,
): Findings {
  const field = `${at}.operator`, valueErrors = labelValueErrors(value);
  const any = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return [
    !key && operator !== "Exists" && invalidValue(field, operator, any),
    tolerationSeconds !== undefined && effect !== "NoExecute" &&
    invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    operator === "" || operator === "Equal"
      ? valueErrors.length > 0 && invalidValue(field, value, valueErrors.join(";"))
      : operator === "Exists"
      ? value && invalidValue(field, value, "value must be empty when `operator` is 'Exists'")
      : notSupported(field, operator, COMPARISONS.includes(operator) ? [...OPERATORS, ...COMPARISONS] : OPERATORS),
  ];
}

export const TOLERATIONS: Check = each(TOLERATION);

const WEIGHT: Check = must("must be in the range 1-100", (weight: number) => weight >= 1 && weight <= 100);

function fieldRequirement({ key, operator, values = [] }: Json, at: string): Findings {
  return [
    operator !== "In" && operator !== "NotIn"
      ? invalidValue(`${at}.operator`, operator, "not a valid selector operator")
      : values.length !== 1 &&
        required(`${at}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    key === "metadata.name"
      ? each(named(subdomainErrors))(values, `${at}.values`)
      : invalidValue(`${at}.key`, key, "not a valid field selector key"),
  ];
}

const nodeTerm = (requirement: Check) =>
  rules(
    "core ValidateNodeSelectorTerm",
    ["matchExpressions", each(requirement)],
    ["matchFields", each(fieldRequirement)],
  );

const REQUIRED_TERMS = rules("core ValidateNodeSelector", [
  "nodeSelectorTerms",
  requiredAs("must have at least one node selector term"),
  each(nodeTerm(NODE_REQUIREMENT)),
]);
const PREFERRED_TERM = rules(
  "core ValidatePreferredSchedulingTerms",
  ["weight", WEIGHT],
  ["preference", nodeTerm(PREFERRED_NODE_REQUIREMENT)],
);
const NODE_AFFINITY = rules(
  "core validateNodeAffinity",
  ["requiredDuringSchedulingIgnoredDuringExecution", REQUIRED_TERMS],
  ["preferredDuringSchedulingIgnoredDuringExecution", each(PREFERRED_TERM)],
);

/** Kubernetes leaves out which of the namespaces it is, and calls each by a name of its own. */
const NAMESPACES: Check = (names: string[], at) => names.map((name) => named(labelErrors)(name, at.replace(/s$/, "")));

const POD_TERM = rules(
  "core validatePodAffinityTerm",
  [["labelSelector", "namespaceSelector"], validateLabelSelector],
  ["namespaces", NAMESPACES],
  labelKeys,
  ["topologyKey", orElse(""), (key, at) => !key && required(at, "can not be empty"), named(qualifiedNameErrors)],
);

/** Core `ValidateMatchLabelKeysAndMismatchLabelKeys`. Of the second rule Kubernetes leaves out which field it is. */
function labelKeys({ matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: Json, at: string): Findings {
  const selected: string[] = [
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }: Json) => key),
  ];
  const mismatched = new Set<string>(mismatchLabelKeys);
  const lastAt = new Map<string, number>(matchLabelKeys.map((key: string, index: number) => [key, index]));
  return [
    Object.entries({ matchLabelKeys, mismatchLabelKeys }).map(([field, keys]) =>
      keys.length > 0 &&
      (labelSelector === undefined
        ? forbidden(`${at}.${field}`, "must not be specified when labelSelector is not set")
        : each(named(qualifiedNameErrors))(keys, `${at}.${field}`))
    ),
    repeatedIndexes(selected).map((index) => selected[index]!).filter((key) => lastAt.has(key)).map((key) =>
      invalidValue(`${at}[${lastAt.get(key)}]`, key, "exists in both matchLabelKeys and labelSelector")
    ),
    matchLabelKeys.map((key: string, index: number) =>
      mismatched.has(key) &&
      invalidValue(`${at}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")
    ),
  ];
}

const WEIGHTED_TERM = rules("core validateWeightedPodAffinityTerms", ["weight", WEIGHT], ["podAffinityTerm", POD_TERM]);
const POD_AFFINITY = rules(
  "core validatePodAffinity, validatePodAntiAffinity",
  ["requiredDuringSchedulingIgnoredDuringExecution", each(POD_TERM)],
  ["preferredDuringSchedulingIgnoredDuringExecution", each(WEIGHTED_TERM)],
);

export const AFFINITY: Check = rules(
  "core validateAffinity",
  ["nodeAffinity", NODE_AFFINITY],
  [["podAffinity", "podAntiAffinity"], POD_AFFINITY],
);

const SPREAD = rules(
  "core validateTopologySpreadConstraints",
  ["maxSkew", orElse(0), POSITIVE],
  ["topologyKey", requiredAs("can not be empty")],
  ["whenUnsatisfiable", oneOf("DoNotSchedule", "ScheduleAnyway")],
  repeatedConstraint,
  ["minDomains", POSITIVE],
  ({ minDomains, whenUnsatisfiable: action }, at) => {
    const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    return minDomains !== undefined && action !== "DoNotSchedule" && invalidValue(`${at}.minDomains`, minDomains, why);
  },
  [["nodeAffinityPolicy", "nodeTaintsPolicy"], oneOf("Honor", "Ignore")],
  labelKeys,
  ["labelSelector", validateLabelSelector],
);

function repeatedConstraint(constraint: Json, at: string, comeAgain: ReadonlySet<Json>): Findings {
  const { topologyKey, whenUnsatisfiable } = constraint;
  return comeAgain.has(constraint) &&
    duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
}

export const SPREAD_CONSTRAINTS: Check = (constraints: Json[], at) => {
  const names = constraints.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable]).reverse();
  const comeAgain = new Set(repeatedIndexes(names).map((index) => constraints.at(-1 - index)!));
  return each(SPREAD)(constraints, at, comeAgain);
};

export const SCHEDULING_GATES: Check = (gates: Json[], at) => {
  const repeated = repeatedBy(gates, "name");
  return gates.map((gate, index) => {
    const { name = "" } = gate, place = `${at}[${index}]`;
    return [eachInvalid(place, name, qualifiedNameErrors(name)), repeated.has(gate) && duplicate(place, name)];
  });
};

export const READINESS_GATES: Check = each(
  rules("core validateReadinessGates", ["conditionType", orElse(""), named(qualifiedNameErrors)]),
);
