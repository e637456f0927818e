import type { FieldError, Json } from "../../resource_kind.ts";
import { all, type Check, each, named, rules } from "./check.ts";
import { forbidden, invalidValue, required } from "./field_errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "./names.ts";
import { validateLabels } from "./object_meta.ts";

const OPERATOR: Check = ({ operator, values = [] }: Json, path) => {
  const at = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return !values.length && required(at, "must be specified when `operator` is 'In' or 'NotIn'");
    case "Exists":
    case "DoesNotExist":
      return values.length && forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    default:
      return invalidValue(`${path}.operator`, operator, "must be In, NotIn, Exists or DoesNotExist");
  }
};

const KEY = rules("metav1 ValidateLabelSelectorRequirement", ["key", named(qualifiedNameErrors)]);
const LABEL_VALUES = rules("metav1 ValidateLabelSelectorRequirement", ["values", each(named(labelValueErrors))]);

/** Returns the errors of a LabelSelector: the object, not the text of a query. */
export const validateLabelSelector: (selector: Json, at: string) => FieldError[] = rules(
  "metav1 ValidateLabelSelector",
  ["matchLabels", validateLabels],
  ["matchExpressions", each(all(OPERATOR, KEY, LABEL_VALUES))],
);
