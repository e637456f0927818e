import type { FieldError, Json, ResourceKind } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { since } from "./tables/cells.ts";
import { NAME, table } from "./tables/columns.ts";
import { must, named, REQUIRED, rules } from "./validation/check.ts";
import { found, invalidValue, required } from "./validation/field_errors.ts";
import { qualifiedNameErrors } from "./validation/names.ts";
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

const SHORT = must("can have at most 128 characters", (value: string) => value.length <= 128);

/** Whom an Event is from, once it says when it was; core `legacyValidateEvent`. */
const REPORT = rules(
  "core legacyValidateEvent, validateV1EventSeries",
  ({ reportingComponent: controller }, _at, field: string) =>
    controller ? named(qualifiedNameErrors)(controller, field) : required(field),
  ["reportingInstance", REQUIRED, SHORT],
  ["action", REQUIRED, SHORT],
  ["reason", REQUIRED, SHORT],
  ["message", must("can have at most 1024 characters", (message: string) => message.length <= 1024)],
);

/** Checks an Event in the form of the core group, as that group's API takes it. */
function validateEvent(event: Json): FieldError[] {
  const { metadata: { namespace }, involvedObject, eventTime } = event, about = involvedObject?.namespace ?? "";
  const agrees = about === "" ? ["", "default", "kube-system"].includes(namespace) : about === namespace;
  return found(
    !agrees && invalidValue("involvedObject.namespace", about, "does not match event.namespace"),
    eventTime && REPORT(event, "", "reportingComponent"),
  );
}

/** Checks the same as `events.k8s.io/v1` takes it: every Event says who reports it, and when. */
function validateNewEvent(event: Json): FieldError[] {
  const { eventTime, type = "" } = event;
  return found(
    validateEvent(event),
    !eventTime && [required("eventTime"), REPORT(event, "", "reportingController")],
    !["Normal", "Warning"].includes(type) && invalidValue("type", "", `has invalid value: ${type}`),
  );
}

/** What both views have in common. */
const COMMON = {
  storage: "/events",
  storageVersionHash: "r2yiGXH7wu8=",
  plural: "events",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
  allowsCreateOnUpdate: true,
} satisfies Partial<ResourceKind>;

const SELECTABLE_OBJECT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

export const EVENTS = defineKind({
  ...COMMON,
  group: "",
  version: "v1",
  schema: KUBERNETES_TYPES.object("core.Event"),
  selectableFields: selectable("involvedObject"),
  validate: validateEvent,
  table: EVENT_TABLE,
});

/** The newer view of the same objects, which are kept in the older form. */
export const EVENTS_V1 = defineKind({
  ...COMMON,
  group: "events.k8s.io",
  version: "v1",
  schema: KUBERNETES_TYPES.object("events.Event"),
  fromStored,
  toStored,
  selectableFields: selectable("regarding"),
  validate: (event) => validateNewEvent(toStored(event)),
  validateUpdate: (event, old) => [...validateObjectMetaUpdate(event, old), ...validateEvent(toStored(event))],
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
