import { compareQuantities } from "../../../kube/quantity.ts";
import type { Json } from "../../resource_kind.ts";
import { type Findings, invalidValue } from "./field_errors.ts";

/** Core `ValidateContainerResourceRequirements`, of the amounts alone. */
export function validateResources({ limits = {}, requests = {} }: Json, at: string): Findings {
  const negative = (list: string, amounts: Json) =>
    Object.entries<string>(amounts).map(([name, amount]) =>
      compareQuantities(amount, "0") < 0 &&
      invalidValue(`${at}.${list}[${name}]`, amount, "must be greater than or equal to 0")
    );
  return [
    negative("limits", limits),
    negative("requests", requests),
    Object.entries<string>(requests).map(([name, amount]) =>
      limits[name] !== undefined && compareQuantities(amount, limits[name]) > 0 &&
      invalidValue(`${at}.requests`, amount, `must be less than or equal to ${name} limit of ${limits[name]}`)
    ),
  ];
}
