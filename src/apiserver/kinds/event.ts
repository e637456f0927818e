import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json, ResourceKind } from "../resource_kind.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { EVENTS_TYPES } from "../schema/types/events.ts";
import { since } from "./tables/cells.ts";
import { NAME, table } from "./tables/columns.ts";
import { type Check, immutable, named, orElse, REQUIRED, rules } from "./validation/check.ts";
import { found, invalidValue, required } from "./validation/field_errors.ts";
import { pathSegmentErrors, qualifiedNameErrors } from "./validation/names.ts";
import { validateObjectMetaUpdate } from "./validation/object_meta.ts";

/** Of Events in the form of the core group. */
const EVENT_TABLE = table({
  "Last Seen": [
    "The time at which the most recent occurrence of this event was recorded.",
    (event, now) => since(lastSeen(event), now),
  ],
  Type: ["Type of this event (Normal, Warning), new types could be added in the future", ({ type }) => type ?? ""],
  Reason: [
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    ({ reason }) => reason ?? "",
  ],
  Object: ["The object that this event is about.", aboutWhat],
  "Subobject wide": [
    'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
    ({ involvedObject }) => involvedObject?.fieldPath ?? "",
  ],
  "Source wide": ["The component reporting this event. Should be a short machine understandable string.", source],
  Message: ["A human-readable description of the status of this operation.", ({ message = "" }) => message.trim()],
  "First Seen wide": [
    "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
    (event, now) => since(firstSeen(event), now),
  ],
  "Count wide": [
    "The number of times this event has occurred.",
    ({ series, count, eventTime }) => series?.count ?? count ?? (eventTime ? 1 : 0),
  ],
  "Name wide": NAME,
});

function firstSeen({ firstTimestamp, eventTime }: Json): string | undefined {
  return firstTimestamp ?? eventTime;
}

function lastSeen(event: Json): string | undefined {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event);
}

function aboutWhat({ involvedObject }: Json): string {
  const { kind, name } = involvedObject ?? {};
  return name ? `${(kind ?? "").toLowerCase()}/${name}` : (kind ?? "").toLowerCase();
}

function source({ source, reportingComponent, reportingInstance }: Json): string {
  const component = source?.component || reportingComponent || "";
  const host = source?.host || (source?.component ? "" : reportingInstance) || "";
  return host ? `${component}, ${host}` : component;
}

/** Kubernetes leaves out the value. */
const short = (most: number): Check => (value: string, at) =>
  value.length > most && invalidValue(at, "", `can have at most ${most} characters`);
const unset: Check = (value, at) =>
  (typeof value !== "object" || Object.keys(value).length > 0) && invalidValue(at, "", "needs to be unset");

/** The field of each API that names the reporter of an Event. */
type ReporterField = "reportingComponent" | "reportingController";

/** Whom an Event is from, once it says when it was; core `legacyValidateEvent`. */
const REPORT = rules(
  "core legacyValidateEvent",
  ({ reportingComponent: controller = "" }, _at, field: ReporterField) => [
    !controller && required(field),
    named(qualifiedNameErrors)(controller, field),
  ],
  [["reportingInstance", "action", "reason"], REQUIRED, short(128)],
  ["message", short(1024)],
);

/** Checks an Event in the form of the core group, as that group's API takes it. */
function validateEvent(event: Json, field: ReporterField = "reportingComponent"): FieldError[] {
  const { metadata: { namespace }, involvedObject, eventTime } = event, about = involvedObject?.namespace ?? "";
  const ofNone = eventTime ? ["default", "kube-system"] : ["", "default"];
  const agrees = about === "" ? ofNone.includes(namespace) : eventTime || about === namespace;
  return found(
    !agrees && invalidValue("involvedObject.namespace", about, "does not match event.namespace"),
    eventTime && REPORT(event, "", field),
  );
}

const SERIES = rules(
  "core validateV1EventSeries",
  ({ count = 0 }, at) => count < 2 && invalidValue(`${at}.count`, "", "should be at least 2"),
  ["lastObservedTime", REQUIRED],
);
/** The rules of `events.k8s.io/v1` for a new Event beyond those of the older API, in the older form. */
const NEW = rules(
  "core ValidateEventCreate",
  ["series", SERIES],
  ["eventTime", REQUIRED],
  [
    "type",
    orElse(""),
    (type, at) => !["Normal", "Warning"].includes(type) && invalidValue(at, "", `has invalid value: ${type}`),
  ],
  [["firstTimestamp", "lastTimestamp", "count", "source"], unset],
);

/** The fields of an Event that never change. */
const FIXED = [
  ...["involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "type"],
  ...["eventTime", "action", "related", "reportingComponent", "reportingInstance"],
];

/** Core `ValidateEventUpdate`, of a change by `events.k8s.io/v1`: what was said stays; only that it was so again is new. */
function validateNewEventUpdate(event: Json, old: Json): FieldError[] {
  return found(
    validateEvent(event, "reportingController"),
    validateObjectMetaUpdate(event, old),
    event.series && !isDeepStrictEqual(event.series, old.series) && SERIES(event.series, "series"),
    FIXED.map((field) => immutable(field.replace("Component", "Controller"), event[field], old[field])),
  );
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
  validate: (event) => validateEvent(event),
  validateUpdate: (event) => validateEvent(event),
  table: EVENT_TABLE,
});

/** The newer view of the same objects, which are kept in the older form. */
export const EVENTS_V1 = defineKind(EVENTS_TYPES, "Event", {
  ...COMMON,
  fromStored,
  toStored,
  selectableFields: selectable("regarding"),
  validate(event) {
    const stored = toStored(event);
    return [...validateEvent(stored, "reportingController"), ...NEW(stored, "")];
  },
  validateUpdate: (event, old) => validateNewEventUpdate(toStored(event), toStored(old)),
  table: { columns: EVENT_TABLE.columns, row: (event, now) => EVENT_TABLE.row(toStored(event), now) },
});

/** Newer name -> older name. */
const RENAMED: Readonly<Record<string, string>> = {
  note: "message",
  regarding: "involvedObject",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};
const RENAMED_BACK = Object.fromEntries(Object.entries(RENAMED).map(([newer, older]) => [older, newer]));

function toStored(event: Json): Json {
  return EVENTS.read(rename({ ...event, apiVersion: "v1" }, RENAMED)).object;
}

function fromStored(event: Json): Json {
  return EVENTS_V1.read(rename({ ...event, apiVersion: "events.k8s.io/v1" }, RENAMED_BACK)).object;
}

function rename(event: Json, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [names[key] ?? key, value]));
}

/** Fields of an Event about the object named `reference`, and of the Event itself. */
function selectable(reference: "involvedObject" | "regarding"): ResourceKind["selectableFields"] {
  return {
    ...Object.fromEntries(SELECTABLE_OBJECT_FIELDS.map((field) => [`${reference}.${field}`, ""])),
    reason: "",
    reportingComponent: (event) => event.reportingComponent ?? event.reportingController ?? "",
    source: (event) => (event.source ?? event.deprecatedSource)?.component || event.reportingComponent || "",
    type: "",
  };
}
