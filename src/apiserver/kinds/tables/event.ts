import type { Json, ResourceTable } from "../../resource_kind.ts";
import { since } from "./cells.ts";
import { EVENT_COLUMNS } from "./columns.ts";

/** Of Events in the form of the core group. */
export const EVENT_TABLE: ResourceTable = {
  columns: EVENT_COLUMNS,
  row(event, now) {
    const first = event.firstTimestamp ?? event.eventTime;
    const last = event.series?.lastObservedTime ?? event.lastTimestamp ?? first;
    return {
      cells: [
        since(last, now),
        event.type ?? "",
        event.reason ?? "",
        aboutWhat(event.involvedObject ?? {}),
        event.involvedObject?.fieldPath ?? "",
        source(event),
        (event.message ?? "").trim(),
        since(first, now),
        event.series?.count ?? event.count ?? (event.eventTime ? 1 : 0),
        event.metadata.name,
      ],
    };
  },
};

function aboutWhat({ kind, name }: Json): string {
  return name ? `${(kind ?? "").toLowerCase()}/${name}` : (kind ?? "").toLowerCase();
}

function source({ source, reportingComponent, reportingInstance }: Json): string {
  const component = source?.component || reportingComponent || "";
  const host = source?.host || (source?.component ? "" : reportingInstance) || "";
  return host ? `${component}, ${host}` : component;
}
