import type { Json, ResourceKind } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { EVENT_TABLE } from "./tables/event.ts";
import { validateEvent, validateNewEvent } from "./validation/small.ts";

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
  validateUpdate: validateEvent,
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
  validateUpdate: (event) => validateEvent(toStored(event)),
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
  const ofObject = SELECTABLE_OBJECT_FIELDS.map((field) =>
    [`${reference}.${field}`, (event: Json) => event[reference]?.[field] ?? ""] as const
  );
  return {
    ...Object.fromEntries(ofObject),
    reason: (event) => event.reason ?? "",
    reportingComponent: (event) => event.reportingComponent ?? event.reportingController ?? "",
    source: (event) => (event.source ?? event.deprecatedSource)?.component || event.reportingComponent || "",
    type: (event) => event.type ?? "",
  };
}
