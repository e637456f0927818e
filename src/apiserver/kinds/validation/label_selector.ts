import type { FieldError, Json } from "../../resource_kind.ts";
import { eachInvalid, forbidden, invalidValue, required } from "./field_errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "./names.ts";
import { validateLabels } from "./object_meta.ts";

/** What is wrong with a LabelSelector (the object, not the text of a query). */
export function validateLabelSelector(selector: Json, path: string): FieldError[] {
  const expressions: Json[] = selector.matchExpressions ?? [];
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...expressions.flatMap((expression, index) => validateExpression(expression, `${path}.matchExpressions[${index}]`)),
  ];
}

function validateExpression({ key, operator, values = [] }: Json, at: string): FieldError[] {
  const errors: FieldError[] = [];
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        errors.push(forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    default:
      errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
  }
  errors.push(...eachInvalid(`${at}.key`, key, qualifiedNameErrors(key)));
  for (const [index, value] of values.entries()) {
    errors.push(...eachInvalid(`${at}.values[${index}]`, value, labelValueErrors(value)));
  }
  return errors;
}

export function matchesLabelSelector(selector: Json, labels: Record<string, string>): boolean {
  const matches = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return matches && (selector.matchExpressions ?? []).every(({ key, operator, values = [] }: Json) => {
    switch (operator) {
      case "In":
        return values.includes(labels[key]);
      case "NotIn":
        return labels[key] === undefined || !values.includes(labels[key]);
      case "Exists":
        return labels[key] !== undefined;
      case "DoesNotExist":
        return labels[key] === undefined;
      default:
        return false;
    }
  });
}
