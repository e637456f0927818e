import { badRequest, invalid, optionsKind, Refusal } from "../refusals.ts";
import type { FieldError, ResourceKind } from "../resource_kind.ts";
import { FieldSelector } from "./field_selector.ts";
import { type LabelSelector, parseLabelSelector } from "./label_selector.ts";

/** The query of a list, a watch, or the deletion of a collection. */
export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly watch: boolean;
  readonly limit: number;
  readonly continueToken: string;
  /** Undefined where the request named none. */
  readonly resourceVersion: number | undefined;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** @throws {Refusal} in the order in which kube-apiserver looks at the query */
export function parseListOptions(query: URLSearchParams, kind: ResourceKind, forceWatch = false): ListOptions {
  const limit = parseInteger(query.get("limit"));
  const timeoutSeconds = parseInteger(query.get("timeoutSeconds"));
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const watch = forceWatch || isTrue(query.get("watch"));
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const initial = query.get("sendInitialEvents");
  const sendInitialEvents = initial === null ? undefined : isTrue(initial);
  const errors = (watch ? watchErrors : listErrors)({ version, match, sendInitialEvents });
  if (errors.length) throw invalid(optionsKind("ListOptions"), "", errors);
  return {
    labels,
    fields: new FieldSelector(query.get("fieldSelector") ?? "", kind),
    watch,
    limit: Math.max(0, limit ?? 0),
    continueToken: query.get("continue") ?? "",
    resourceVersion: parseVersion(version, watch),
    resourceVersionMatch: match as ListOptions["resourceVersionMatch"],
    timeoutSeconds,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents,
  };
}

interface VersionOptions {
  readonly version: string;
  readonly match: string;
  readonly sendInitialEvents: boolean | undefined;
}

function listErrors({ version, match, sendInitialEvents }: VersionOptions): FieldError[] {
  if (sendInitialEvents !== undefined) {
    return [forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")];
  }
  if (!match) return [];
  const errors: FieldError[] = [];
  if (!version) {
    errors.push(
      forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    );
  }
  if (match !== "Exact" && match !== "NotOlderThan") {
    errors.push(unsupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
  }
  if (match === "Exact" && version === "0") {
    errors.push(forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

function watchErrors({ match, sendInitialEvents }: VersionOptions): FieldError[] {
  if (sendInitialEvents === undefined) {
    return match
      ? [forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      )]
      : [];
  }
  if (!match) {
    return [forbidden(
      "resourceVersionMatch",
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    )];
  }
  return match === "NotOlderThan" ? [] : [unsupported("resourceVersionMatch", match, ["NotOlderThan"])];
}

function forbidden(field: string, why: string): FieldError {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${why}` };
}

function unsupported(field: string, value: string, supported: readonly string[]): FieldError {
  const list = supported.map((each) => JSON.stringify(each)).join(", ");
  return {
    type: "FieldValueNotSupported",
    field,
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
  };
}

/** As Go reads booleans in a query: only these are false. */
export function isTrue(text: string | null): boolean {
  return text !== null && !["false", "0"].includes(text.toLowerCase());
}

/** @throws {Refusal} 400 in the words of Go */
export function parseInteger(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

const MAX_UINT64 = 2n ** 64n - 1n;

function parseVersion(text: string, watch: boolean): number | undefined {
  if (text === "") return undefined;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) <= MAX_UINT64) return Number(text);
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ` +
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? "value out of range" : "invalid syntax"}`;
  throw watch ? new Refusal(500, "", why) : badRequest(`invalid resource version: ${why}`);
}
