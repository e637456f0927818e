import type { RowsMessage } from "../../../../src/dashboard/wire.ts";
import type { Row } from "../../../../src/dashboard/wire.ts";
import { type Canned, type CannedServer, serveCanned } from "./canned_server.ts";
import {
  calendarOf,
  detailOf,
  explainedOf,
  FLEET,
  LOAD,
  LOGS,
  NOW,
  RIGHTS,
  SESSION,
  timelineOf,
} from "./sample_fleet.ts";

/** Serves the sample fleet, but for what is given. */
export function serveSample(given: Partial<Canned> = {}): CannedServer {
  return serveCanned({
    session: SESSION,
    rows: messagesOf(FLEET),
    rights: RIGHTS,
    detail: detailOf,
    logs: LOGS,
    timeline: timelineOf,
    calendar: calendarOf,
    load: LOAD,
    explained: explainedOf,
    ...given,
  });
}

/** As a server sends a page all there is. */
export function messagesOf(rows: readonly Row[]): RowsMessage[] {
  return [
    { kind: "start", now: NOW, total: rows.length },
    { kind: "rows", now: NOW, rows },
    { kind: "ready", now: NOW },
  ];
}
