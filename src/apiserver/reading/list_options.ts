import { badRequest, invalid, optionsKind, Refusal } from "../refusals.ts";
import { type Findings, forbidden, found, notSupported } from "../kinds/validation/field_errors.ts";
import type { ResourceKind } from "../resource_kind.ts";
import { FieldSelector, parseFieldTerms } from "./field_selector.ts";
import { isInteger, type LabelSelector, parseLabelSelector } from "./label_selector.ts";

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
export function parseListOptions(query: URLSearchParams, kind: ResourceKind): ListOptions {
  const timeoutSeconds = parseInteger(query.get("timeoutSeconds"));
  const limit = parseInteger(query.get("limit"));
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const terms = parseFieldTerms(query.get("fieldSelector") ?? "");
  const watch = isTrue(query.get("watch"));
  const initial = query.get("sendInitialEvents");
  const given = {
    version: query.get("resourceVersion") ?? "",
    match: query.get("resourceVersionMatch") ?? "",
    continueToken: query.get("continue") ?? "",
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  const errors = found(watch ? watchErrors(given) : listErrors(given));
  if (errors.length) throw invalid(optionsKind("ListOptions"), "", errors);
  return {
    labels,
    fields: new FieldSelector(terms, kind),
    watch,
    limit: Math.max(0, limit ?? 0),
    continueToken: given.continueToken,
    resourceVersion: parseVersion(given.version, !watch),
    resourceVersionMatch: given.match as ListOptions["resourceVersionMatch"],
    timeoutSeconds,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: given.sendInitialEvents,
  };
}

/** The parameters that the rules judge. */
type Given = { version: string; match: string } & Pick<ListOptions, "continueToken" | "sendInitialEvents">;

const MATCH = "resourceVersionMatch";
const no = (field: string, why: string) => forbidden(field, `${field} ${why}`);

/** Meta internalversion `ValidateListOptions`. */
function listErrors({ match, version, continueToken, sendInitialEvents }: Given): Findings {
  return [
    match && !version && no(MATCH, "is forbidden unless resourceVersion is provided"),
    match && continueToken && no(MATCH, "is forbidden when continue is provided"),
    !["", "Exact", "NotOlderThan"].includes(match) && notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]),
    match === "Exact" && version === "0" && no(MATCH, '"exact" is forbidden for resourceVersion "0"'),
    sendInitialEvents !== undefined && no("sendInitialEvents", "is forbidden for list"),
  ];
}

/** Meta internalversion `validateWatchOptions`. */
function watchErrors({ match, continueToken, sendInitialEvents }: Given): Findings {
  return [
    sendInitialEvents === undefined
      ? match && no(MATCH, "is forbidden for watch unless sendInitialEvents is provided")
      : match !== "NotOlderThan" &&
        forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    match && match !== "NotOlderThan" && notSupported(MATCH, match, ["NotOlderThan"]),
    match && continueToken && no(MATCH, "is forbidden when continue is provided"),
  ];
}

/** As Go reads booleans in a query: only these are false. */
export function isTrue(text: string | null): boolean {
  return text !== null && !["false", "0"].includes(text.toLowerCase());
}

/** @throws {Refusal} 400 */
export function parseInteger(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!isInteger(text)) throw badRequest(`${JSON.stringify(text)} must be a whole number`);
  return Number(text);
}

/** @throws {Refusal} 400 of a list; 500 of a watch and of a single object, as kube-apiserver takes it for its own fault */
export function parseVersion(text: string, isList: boolean): number | undefined {
  if (text === "") return undefined;
  if (isVersion(text)) return Number(text);
  const why = `resourceVersion: ${JSON.stringify(text)} must be a whole number`;
  throw isList ? badRequest(why) : new Refusal(500, "", why);
}

/** Returns whether it is a whole number that 64 bits hold without a sign. */
export function isVersion(text: string): boolean {
  return /^\d+$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text);
}
