import { TypePackage } from "../type_table.ts";
import { CORE_TYPES } from "./core.ts";
import { META_TYPES } from "./meta.ts";

export const EVENTS_TYPES: TypePackage = new TypePackage("events", {
  Event: {
    action: "6 string",
    deprecatedCount: "15 int32",
    deprecatedFirstTimestamp: "13 time orNull",
    deprecatedLastTimestamp: "14 time orNull",
    deprecatedSource: "12 core.EventSource value",
    eventTime: "2 microtime orNull",
    metadata: "1 meta.ObjectMeta value",
    note: "10 string",
    reason: "7 string",
    regarding: "8 core.ObjectReference value",
    related: "9 core.ObjectReference",
    reportingController: "4 string",
    reportingInstance: "5 string",
    series: "3 EventSeries",
    type: "11 string",
  },
  EventSeries: { count: "1 int32 always", lastObservedTime: "2 microtime orNull" },
}, { uses: [META_TYPES, CORE_TYPES] });
