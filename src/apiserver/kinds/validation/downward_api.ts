import { eachInvalid, type Findings, invalidValue, notSupported, required } from "./field_errors.ts";
import { qualifiedNameErrors } from "./names.ts";
import type { Json } from "../../resource_kind.ts";

/** The fields of a Pod that a variable may take; core `validEnvDownwardAPIFieldPathExpressions`. */
export const VARIABLE_FIELDS = [
  ...["metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"],
  ...["status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"],
];
/** The fields that a file may take; core `validVolumeDownwardAPIFieldPathExpressions`. */
export const VOLUME_FIELDS = ["annotations", "labels", "name", "namespace", "uid"].map((field) => `metadata.${field}`);
/** All fields that Kubernetes knows, for variables or files; core `ConvertDownwardAPIFieldLabel`. */
const KNOWN_FIELDS = [...VARIABLE_FIELDS, ...VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"];

/** Finds the first error of a field reference, as core `validateObjectFieldSelector`. */
export function validateFieldReference({ fieldPath }: Json, at: string, supported: readonly string[]): Findings {
  const field = `${at}.fieldPath`;
  if (!fieldPath) return required(field);
  const [, map, key = ""] = /^metadata\.(annotations|labels)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (map) return eachInvalid(at, key, qualifiedNameErrors(map === "labels" ? key : key.toLowerCase()));
  if (supported.includes(fieldPath)) return [];
  return KNOWN_FIELDS.includes(fieldPath)
    ? notSupported(field, fieldPath, supported)
    : invalidValue(field, fieldPath, `must be one of ${supported.join(", ")}`);
}
