import type { FieldError, Json } from "../../resource_kind.ts";
import { all, type Check, each, named, rules } from "./check.ts";
import { forbidden, invalidValue, required } from "./field_errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "./names.ts";
import { validateLabels } from "./object_meta.ts";

/** How many values each operator wants. */
const VALUES: Readonly<Record<string, Check>> = {
  ...of(
    ["In", "NotIn"],
    (values, at) => !values.length && required(at, "must be specified when `operator` is 'In' or 'NotIn'"),
  ),
  ...of(
    ["Exists", "DoesNotExist"],
    (values, at) =>
      values.length && forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
  ),
};
function of(operators: readonly string[], check: Check): Record<string, Check> {
  return Object.fromEntries(operators.map((operator) => [operator, check]));
}

const OPERATOR: Check = ({ operator, values = [] }: Json, at) =>
  Object.hasOwn(VALUES, operator)
    ? VALUES[operator]!(values, `${at}.values`)
    : invalidValue(`${at}.operator`, operator, "must be In, NotIn, Exists or DoesNotExist");

const KEY = rules("metav1 ValidateLabelSelectorRequirement", ["key", named(qualifiedNameErrors)]);
const LABEL_VALUES = rules("metav1 ValidateLabelSelectorRequirement", ["values", each(named(labelValueErrors))]);

/** Returns the errors of a LabelSelector: the object, not the text of a query. */
export const validateLabelSelector: (selector: Json, at: string) => FieldError[] = rules(
  "metav1 ValidateLabelSelector",
  ["matchLabels", validateLabels],
  ["matchExpressions", each(all(OPERATOR, KEY, LABEL_VALUES))],
);
