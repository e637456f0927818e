import type { FieldError, Json, ResourceKind } from "../resource_kind.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { EVENTS_TYPES } from "../schema/types/events.ts";
import { since } from "./tables/cells.ts";
import { NAME, table } from "./tables/columns.ts";
import { found, invalidValue } from "./validation/field_errors.ts";
import { pathSegmentErrors } from "./validation/names.ts";

/** kubectl's columns, for Events in the form of the core group. */
const EVENT_TABLE = table({
  "Last Seen": (event, now) => since(lastSeen(event), now),
  Type: ({ type }) => type ?? "",
  Reason: ({ reason }) => reason ?? "",
  Object: objectOf,
  "Subobject wide": ({ involvedObject }) => involvedObject?.fieldPath ?? "",
  "Source wide": source,
  Message: ({ message = "" }) => message.trim(),
  "First Seen wide": (event, now) => since(firstSeen(event), now),
  "Count wide": ({ series, count, eventTime }) => series?.count ?? count ?? (eventTime ? 1 : 0),
  "Name wide": NAME,
});

function firstSeen({ firstTimestamp, eventTime }: Json): string | undefined {
  return firstTimestamp ?? eventTime;
}

function lastSeen(event: Json): string | undefined {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event);
}

function objectOf({ involvedObject }: Json): string {
  const { kind, name } = involvedObject ?? {};
  return name ? `${(kind ?? "").toLowerCase()}/${name}` : (kind ?? "").toLowerCase();
}

function source({ source, reportingComponent, reportingInstance }: Json): string {
  const component = source?.component || reportingComponent || "";
  const host = source?.host || (source?.component ? "" : reportingInstance) || "";
  return host ? `${component}, ${host}` : component;
}

/** Checks the namespace of an Event in the core group's form as kube-apiserver does: less strictly where it has an `eventTime`. */
function validateEvent({ metadata: { namespace }, involvedObject, eventTime }: Json): FieldError[] {
  const about = involvedObject?.namespace ?? "";
  const forNone = eventTime ? ["default", "kube-system"] : ["", "default"];
  const agrees = about === "" ? forNone.includes(namespace) : eventTime || about === namespace;
  return found(!agrees && invalidValue("involvedObject.namespace", about, "does not match event.namespace"));
}

/** The common part of both views. */
const COMMON = {
  storage: "/events",
  storageVersionHash: "r2yiGXH7wu8=",
  shortNames: ["ev"],
  allowsCreateOnUpdate: true,
} satisfies Partial<ResourceKind>;

const SELECTABLE_OBJECT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

export const EVENTS = defineKind(CORE_TYPES, "Event", {
  ...COMMON,
  selectableFields: selectable("involvedObject"),
  validateName: pathSegmentErrors,
  validate: validateEvent,
  table: EVENT_TABLE,
});

/** The newer view of the same objects, which are kept in the older form. */
export const EVENTS_V1 = defineKind(EVENTS_TYPES, "Event", {
  ...COMMON,
  fromStored,
  toStored,
  selectableFields: selectable("regarding"),
  validate: (event) => validateEvent(toStored(event)),
  table: { columns: EVENT_TABLE.columns, row: (event, now) => EVENT_TABLE.row(toStored(event), now) },
});

const OLDER_NAMES: Readonly<Record<string, string>> = {
  note: "message",
  regarding: "involvedObject",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};
const NEWER_NAMES = Object.fromEntries(Object.entries(OLDER_NAMES).map(([newer, older]) => [older, newer]));

function toStored(event: Json): Json {
  return EVENTS.read(rename({ ...event, apiVersion: "v1" }, OLDER_NAMES)).object;
}

function fromStored(event: Json): Json {
  return EVENTS_V1.read(rename({ ...event, apiVersion: "events.k8s.io/v1" }, NEWER_NAMES)).object;
}

function rename(event: Json, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [names[key] ?? key, value]));
}

/** Returns the fields by which Events are selected: of the object in the field `reference`, and of the Event itself. */
function selectable(reference: "involvedObject" | "regarding"): ResourceKind["selectableFields"] {
  return {
    ...Object.fromEntries(SELECTABLE_OBJECT_FIELDS.map((field) => [`${reference}.${field}`, ""])),
    reason: "",
    reportingComponent: (event) => event.reportingComponent ?? event.reportingController ?? "",
    source: (event) => (event.source ?? event.deprecatedSource)?.component || event.reportingComponent || "",
    type: "",
  };
}
