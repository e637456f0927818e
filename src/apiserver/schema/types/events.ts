import type { TypeTable } from "../type_table.ts";

export const EVENTS_TYPES: TypeTable = {
  Event: {
    action: "string",
    deprecatedCount: "int32",
    deprecatedFirstTimestamp: "time orNull",
    deprecatedLastTimestamp: "time orNull",
    deprecatedSource: "core.EventSource value",
    eventTime: "microtime orNull",
    metadata: "meta.ObjectMeta value",
    note: "string",
    reason: "string",
    regarding: "core.ObjectReference value",
    related: "core.ObjectReference",
    reportingController: "string",
    reportingInstance: "string",
    series: "EventSeries",
    type: "string",
  },
  EventSeries: {
    count: "int32 always",
    lastObservedTime: "microtime orNull",
  },
};
