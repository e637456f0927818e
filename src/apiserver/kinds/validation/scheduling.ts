import type { FieldError, Json } from "../../resource_kind.ts";
import { type Check, each, must, named, oneOf, POSITIVE, REQUIRED, rules } from "./check.ts";
import { duplicate, eachInvalid, forbidden, invalidValue, notSupported, required } from "./field_errors.ts";
import { validateLabelSelector } from "./label_selector.ts";
import { labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";

const OPERATORS = ["Equal", "Exists"];
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const TOLERATION = rules(
  "core ValidateTolerations",
  ["key", named(qualifiedNameErrors)],
  ["", tolerationOperator],
  ["effect", oneOf(...EFFECTS)],
);

function tolerationOperator(
  { key, operator = "", value = "", effect = "", tolerationSeconds }: Json,
  at: string,
): FieldError[] {
  const field = `${at}.operator`;
  const valueErrors = labelValueErrors(value);
  return [
    ...(!key && operator !== "Exists"
      ? [invalidValue(
        field,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      )]
      : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...(operator === "" || operator === "Equal"
      ? valueErrors.length ? [invalidValue(field, value, valueErrors.join(";"))] : []
      : operator !== "Exists"
      ? [notSupported(field, operator, OPERATORS)]
      : value
      ? [invalidValue(field, value, "value must be empty when `operator` is 'Exists'")]
      : []),
  ];
}

export const TOLERATIONS: Check = each(TOLERATION);

const WEIGHT: Check = must("must be in the range 1-100", (weight: number) => weight >= 1 && weight <= 100);

/** How many values an operator takes, and what is said otherwise; core `ValidateNodeSelectorRequirement`. */
function requirementValues({ operator, values = [] }: Json, at: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length ? [] : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length
        ? [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    case "Gt":
    case "Lt":
      return values.length === 1
        ? []
        : [required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

function fieldRequirement({ key, operator, values = [] }: Json, at: string): FieldError[] {
  return [
    ...(operator !== "In" && operator !== "NotIn"
      ? [invalidValue(`${at}.operator`, operator, "not a valid selector operator")]
      : values.length === 1
      ? []
      : [
        required(`${at}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      ]),
    ...(key === "metadata.name"
      ? values.flatMap((value: string, index: number) =>
        eachInvalid(`${at}.values[${index}]`, value, subdomainErrors(value))
      )
      : [invalidValue(`${at}.key`, key, "not a valid field selector key")]),
  ];
}

const PREFERRED_REQUIREMENT = rules(
  "core ValidateNodeSelectorRequirement",
  ["", requirementValues],
  ["key", named(qualifiedNameErrors)],
);
const NODE_REQUIREMENT = rules(
  "core ValidateNodeSelectorRequirement",
  ["", PREFERRED_REQUIREMENT],
  ["values", each(named(labelValueErrors))],
);
const nodeTerm = (requirement: Check) =>
  rules(
    "core ValidateNodeSelectorTerm",
    ["matchExpressions", each(requirement)],
    ["matchFields", each(fieldRequirement)],
  );

const NODE_AFFINITY = rules(
  "core validateNodeAffinity",
  ["requiredDuringSchedulingIgnoredDuringExecution", ({ nodeSelectorTerms: terms }: Json, at, scope) => {
    const field = `${at}.nodeSelectorTerms`;
    if (!terms?.length) return [required(field, "must have at least one node selector term")];
    return each(nodeTerm(NODE_REQUIREMENT))(terms, field, scope);
  }],
  [
    "preferredDuringSchedulingIgnoredDuringExecution",
    each(rules("core ValidatePreferredSchedulingTerms", ["weight", WEIGHT], [
      "preference",
      nodeTerm(PREFERRED_REQUIREMENT),
    ])),
  ],
);

const POD_TERM = rules(
  "core validatePodAffinityTerm",
  ["labelSelector", validateLabelSelector],
  ["namespaceSelector", validateLabelSelector],
  [
    "namespaces",
    (names: string[], at) => names.flatMap((name) => named(labelErrors)(name, at.replace(/s$/, ""), undefined)),
  ],
  ["", affinityLabelKeys],
  ["", ({ topologyKey = "" }: Json, at) => [
    ...(topologyKey ? [] : [required(`${at}.topologyKey`, "can not be empty")]),
    ...eachInvalid(`${at}.topologyKey`, topologyKey, qualifiedNameErrors(topologyKey)),
  ]],
);

/** Core `validateMatchLabelKeysAndMismatchLabelKeys`. */
function affinityLabelKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: Json,
  at: string,
): FieldError[] {
  return [
    ...Object.entries({ matchLabelKeys, mismatchLabelKeys }).flatMap(([field, keys]) =>
      keys.length === 0
        ? []
        : labelSelector === undefined
        ? [forbidden(`${at}.${field}`, "must not be specified when labelSelector is not set")]
        : each(named(qualifiedNameErrors))(keys, `${at}.${field}`, undefined)
    ),
    ...matchLabelKeys.flatMap((key: string, index: number) =>
      mismatchLabelKeys.includes(key)
        ? [invalidValue(`${at}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
        : []
    ),
  ];
}

const POD_AFFINITY = rules(
  "core validatePodAffinity, validatePodAntiAffinity",
  ["requiredDuringSchedulingIgnoredDuringExecution", each(POD_TERM)],
  [
    "preferredDuringSchedulingIgnoredDuringExecution",
    each(rules("core validateWeightedPodAffinityTerms", ["weight", WEIGHT], ["podAffinityTerm", POD_TERM])),
  ],
);

export const AFFINITY: Check = rules(
  "core validateAffinity",
  ["nodeAffinity", NODE_AFFINITY],
  ["podAffinity", POD_AFFINITY],
  ["podAntiAffinity", POD_AFFINITY],
);

const INCLUSION = oneOf("Honor", "Ignore");

const SPREAD = rules<Json[]>(
  "core validateTopologySpreadConstraints",
  ["", ({ maxSkew = 0 }: Json, at) => POSITIVE(maxSkew, `${at}.maxSkew`, undefined)],
  ["", ({ topologyKey }: Json, at) => topologyKey ? [] : [required(`${at}.topologyKey`, "can not be empty")]],
  ["whenUnsatisfiable", oneOf("DoNotSchedule", "ScheduleAnyway")],
  ["", repeatedConstraint],
  ["minDomains", POSITIVE],
  [
    "",
    ({ minDomains, whenUnsatisfiable: action }: Json, at) =>
      minDomains === undefined || action === "DoNotSchedule" ? [] : [invalidValue(
        `${at}.minDomains`,
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
      )],
  ],
  ["nodeAffinityPolicy", INCLUSION],
  ["nodeTaintsPolicy", INCLUSION],
  ["", spreadLabelKeys],
  ["labelSelector", validateLabelSelector],
);

function repeatedConstraint(constraint: Json, at: string, all: Json[]): FieldError[] {
  const { topologyKey, whenUnsatisfiable } = constraint;
  const isRepeated = all.slice(all.indexOf(constraint) + 1).some((later) =>
    later.topologyKey === topologyKey && later.whenUnsatisfiable === whenUnsatisfiable
  );
  if (!isRepeated) return [];
  return [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)];
}

/** Core `validateMatchLabelKeysInTopologySpread`. */
function spreadLabelKeys({ matchLabelKeys = [], labelSelector }: Json, path: string): FieldError[] {
  if (matchLabelKeys.length === 0) return [];
  const at = `${path}.matchLabelKeys`;
  const selected = [
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }: Json) => key),
  ];
  return [
    ...(labelSelector ? [] : [forbidden(at, "must not be specified when labelSelector is not set")]),
    ...matchLabelKeys.flatMap((key: string, index: number) => [
      ...eachInvalid(`${at}[${index}]`, key, qualifiedNameErrors(key)),
      ...(selected.includes(key)
        ? [invalidValue(`${at}[${index}]`, key, "exists in both matchLabelKeys and labelSelector")]
        : []),
    ]),
  ];
}

export const SPREAD_CONSTRAINTS: Check = (constraints: Json[], at) => each(SPREAD)(constraints, at, constraints);

export const SCHEDULING_GATES: Check = (gates: Json[], at) =>
  gates.flatMap(({ name = "" }, index) => [
    ...eachInvalid(`${at}[${index}]`, name, qualifiedNameErrors(name)),
    ...(gates.slice(0, index).some((earlier) => earlier.name === name) ? [duplicate(`${at}[${index}]`, name)] : []),
  ]);

export const READINESS_GATES: Check = each(
  rules("core validateReadinessGates", ["conditionType", REQUIRED, named(qualifiedNameErrors)]),
);
