import type { Row, RowsMessage, TroubleReason } from "../../wire.ts";
import { isUpgraded, lines, Refusal, SILENCE_MS } from "../server.ts";
import { serverNow, setServerNow } from "./clock.ts";
import { pause, retryMs } from "./retry.ts";
import { shownZone } from "./times.ts";
import { Value } from "./value.ts";

/** How far what is shown can be relied on. */
export type Link =
  | { kind: "loading"; received: number; total?: number }
  | { kind: "live" }
  | { kind: "trouble"; reason: TroubleReason; message: string }
  | { kind: "offline"; since: number; retryAt: number }
  | { kind: "loggedOut"; message: string }
  /** The server sends rows for another page. */
  | { kind: "upgraded" };

export const rows: Value<ReadonlyMap<string, Row>> = new Value(new Map());

/** The lines to read before all rows. */
export const headlines: Value<readonly string[]> = new Value<readonly string[]>([]);

export const link: Value<Link> = new Value<Link>({ kind: "loading", received: 0 });

/** Changes that come together are drawn together. */
const DRAW_MS = 16;

/** Follows the rows for ever, from one connection to the next. */
export async function followRows(signal: AbortSignal) {
  rows.set(new Map());
  link.set({ kind: "loading", received: 0 });
  let failures = 0;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]);
      if (!isFirst && await isUpgraded(patience)) return link.set({ kind: "upgraded" });
      await readRows(signal, () => failures = 0);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && error.code === 401) {
        return link.set({ kind: "loggedOut", message: error.message });
      }
      if (error instanceof Refusal) {
        const reason = error.code === 403 ? "Forbidden" : "Unreachable";
        link.set({ kind: "trouble", reason, message: error.message });
      }
    }
    const waitMs = retryMs(failures++);
    if (link.current.kind !== "trouble") {
      const since = link.current.kind === "offline" ? link.current.since : serverNow();
      link.set({ kind: "offline", since, retryAt: serverNow() + waitMs });
    }
    await pause(waitMs, signal);
  }
}

/** One connection, until it ends. */
async function readRows(signal: AbortSignal, onReady: () => void) {
  /** The shown rows stay until all have come again. */
  let next = new Map();
  let isReady = false;
  const isFirst = rows.current.size === 0;
  let total = 0;
  let drawing: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    drawing = undefined;
    if (isReady || isFirst) rows.set(new Map(next));
  };
  const drawSoon = () => {
    drawing ??= setTimeout(draw, DRAW_MS);
  };
  try {
    for await (const message of lines<RowsMessage>("/api/rows", signal)) {
      if ("now" in message) setServerNow(message.now);
      switch (message.kind) {
        case "start":
          next = new Map();
          headlines.set([]);
          isReady = false;
          total = message.total;
          if (isFirst) link.set({ kind: "loading", received: 0, total });
          break;
        case "rows":
          for (const row of message.rows) next.set(row.id, { ...row, zone: shownZone(row.zone) });
          drawSoon();
          // Rows that change by time alone come in trouble too: `ready` ends it.
          if (isFirst && !isReady) link.set({ kind: "loading", received: next.size, total });
          break;
        case "headlines":
          headlines.set(message.lines);
          break;
        case "gone":
          for (const id of message.ids) next.delete(id);
          drawSoon();
          break;
        case "ready":
          isReady = true;
          onReady();
          draw();
          link.set(LIVE);
          break;
        case "trouble":
          link.set(message);
          break;
      }
    }
  } finally {
    clearTimeout(drawing);
  }
}

const LIVE: Link = { kind: "live" };
