import { ownValue } from "../../../runtime/own_value.ts";
import type { Json } from "../../resource_kind.ts";
import { eachInvalid, type Findings, invalidValue, notSupported, required } from "./field_errors.ts";
import { qualifiedNameErrors } from "./names.ts";

/** What a variable may take from its Pod; core `validEnvDownwardAPIFieldPathExpressions`. */
export const VARIABLE_FIELDS = [
  ...["metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"],
  ...["status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"],
];
/** What a file may; core `validVolumeDownwardAPIFieldPathExpressions`. */
export const VOLUME_FIELDS = ["annotations", "labels", "name", "namespace", "uid"].map((field) => `metadata.${field}`);
/** What Kubernetes knows at all, for the one or the other; core `ConvertDownwardAPIFieldLabel`. */
const KNOWN_FIELDS = [...VARIABLE_FIELDS, ...VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"];

const RESOURCES = ["limits", "requests"].flatMap((kind) =>
  ["cpu", "ephemeral-storage", "memory"].map((resource) => `${kind}.${resource}`)
);
const BYTE_DIVISORS = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const BYTES = `only divisor's values ${BYTE_DIVISORS.join(", ")} are supported with the`;
/** By the resource's name without `limits.` or `requests.`; core `validateContainerResourceDivisor`. */
const DIVISORS: Readonly<Record<string, { values: readonly string[]; detail: string }>> = {
  cpu: { values: ["1m", "1"], detail: "only divisor's values 1m and 1 are supported with the cpu resource" },
  memory: { values: BYTE_DIVISORS, detail: `${BYTES} memory resource` },
  "ephemeral-storage": { values: BYTE_DIVISORS, detail: `${BYTES} local ephemeral storage resource` },
  "hugepages-": { values: BYTE_DIVISORS, detail: `${BYTES} hugepages resource` },
};

/** Core `validateObjectFieldSelector`: the first thing that is wrong. */
export function validateFieldReference(
  { apiVersion, fieldPath }: Json,
  at: string,
  supported: readonly string[],
): Findings {
  if (!apiVersion) return required(`${at}.apiVersion`);
  const field = `${at}.fieldPath`;
  if (!fieldPath) return required(field);
  const unconvertible = (why: string) => invalidValue(field, fieldPath, `error converting fieldPath: ${why}`);
  if (apiVersion !== "v1") return unconvertible(`unsupported pod version: ${apiVersion}`);
  const [, path = "", subscript] = /^(.*?)(?:\['(.*)'\])?$/s.exec(fieldPath)!;
  const known = path === "spec.host" ? "spec.nodeName" : path;
  if (subscript !== undefined) {
    const key = known === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    if (/^metadata\.(annotations|labels)$/.test(known)) return eachInvalid(at, key, qualifiedNameErrors(key));
    return unconvertible(`field label does not support subscript: ${fieldPath}`);
  }
  if (!KNOWN_FIELDS.includes(known)) return unconvertible(`field label not supported: ${fieldPath}`);
  return !supported.includes(known) && notSupported(field, known, supported);
}

/** Core `validateContainerResourceFieldSelector`. */
export function validateResourceReference(
  { containerName, resource = "", divisor = "0" }: Json,
  at: string,
  mustNameContainer: boolean,
): Findings {
  const [, name = ""] = /^(?:limits|requests)\.(.*)$/s.exec(resource) ?? [];
  const isHugePages = name.startsWith("hugepages-");
  const allowed = ownValue(DIVISORS, isHugePages ? "hugepages-" : name);
  return [
    mustNameContainer && !containerName
      ? required(`${at}.containerName`)
      : !resource
      ? required(`${at}.resource`)
      : !RESOURCES.includes(resource) && !isHugePages && notSupported(`${at}.resource`, resource, RESOURCES),
    divisor !== "0" && allowed && !allowed.values.includes(divisor) &&
    invalidValue(`${at}.divisor`, resource, allowed.detail),
  ];
}
