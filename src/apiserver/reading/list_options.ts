import { badRequest, invalid, optionsKind, Refusal } from "../refusals.ts";
import { forbidden, notSupported } from "../kinds/validation/field_errors.ts";
import type { FieldError, ResourceKind } from "../resource_kind.ts";
import { FieldSelector, parseFieldTerms } from "./field_selector.ts";
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
  const timeoutSeconds = parseInteger(query.get("timeoutSeconds"));
  const limit = parseInteger(query.get("limit"));
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const terms = parseFieldTerms(query.get("fieldSelector") ?? "");
  const watch = isTrue(query.get("watch"));
  const initial = query.get("sendInitialEvents");
  const given: Given = {
    version: query.get("resourceVersion") ?? "",
    match: query.get("resourceVersionMatch") ?? "",
    continueToken: query.get("continue") ?? "",
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  const errors = (watch ? WATCH_RULES : LIST_RULES).filter(([isBroken]) => isBroken(given)).map(([, error]) =>
    error(given)
  );
  if (errors.length) throw invalid(optionsKind("ListOptions"), "", errors);
  return {
    labels,
    fields: new FieldSelector(terms, kind),
    watch: watch || forceWatch,
    limit: Math.max(0, limit ?? 0),
    continueToken: given.continueToken,
    resourceVersion: parseVersion(given.version, watch || forceWatch),
    resourceVersionMatch: given.match as ListOptions["resourceVersionMatch"],
    timeoutSeconds,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: given.sendInitialEvents,
  };
}

/** What the rules are about. */
interface Given {
  readonly version: string;
  readonly match: string;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

type OptionRule = readonly [isBroken: (given: Given) => boolean, error: (given: Given) => FieldError];

const MATCH = "resourceVersionMatch";
const no = (field: string, why: string) => () => forbidden(field, `${field} ${why}`);
const WITH_CONTINUE: OptionRule = [
  ({ match, continueToken }) => match !== "" && continueToken !== "",
  no(MATCH, "is forbidden when continue is provided"),
];

/** Meta internalversion `ValidateListOptions`. */
const LIST_RULES: readonly OptionRule[] = [
  [
    ({ match, version }) => match !== "" && version === "",
    no(MATCH, "is forbidden unless resourceVersion is provided"),
  ],
  WITH_CONTINUE,
  [
    ({ match }) => !["", "Exact", "NotOlderThan"].includes(match),
    ({ match }) => notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]),
  ],
  [
    ({ match, version }) => match === "Exact" && version === "0",
    no(MATCH, '"exact" is forbidden for resourceVersion "0"'),
  ],
  [({ sendInitialEvents }) => sendInitialEvents !== undefined, no("sendInitialEvents", "is forbidden for list")],
];

/** Meta internalversion `validateWatchOptions`. */
const WATCH_RULES: readonly OptionRule[] = [
  [
    ({ sendInitialEvents, match }) => sendInitialEvents !== undefined && match !== "NotOlderThan",
    () => forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
  ],
  [
    ({ sendInitialEvents, match }) => sendInitialEvents === undefined && match !== "",
    no(MATCH, "is forbidden for watch unless sendInitialEvents is provided"),
  ],
  [
    ({ match }) => match !== "" && match !== "NotOlderThan",
    ({ match }) => notSupported(MATCH, match, ["NotOlderThan"]),
  ],
  WITH_CONTINUE,
];

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
