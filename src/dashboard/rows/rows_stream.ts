import { ApiError } from "../../kube/api_error.ts";
import { Stage } from "../../base/abort.ts";
import { type Clock, endsWithin } from "../../base/clock.ts";
import { Waiters } from "../../runtime/waiters.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import type { RowFeed } from "./row_feed.ts";
import type { RowsMessage } from "../wire.ts";

/** The page shows that it is live as long as it hears so often. */
const BEAT_MS = 10_000;

/** How often is looked whether the API server still answers. */
const LOOK_MS = 1_000;

/** Rows a line. */
const ROWS = 50;

/** A source of rows. */
export type RowSource = Pick<RowFeed, "ready" | "listen" | "ids" | "json" | "error" | "headlines">;

/**
 * The stream to one page, line by line. The untaken part is a set of names: a page that is slow gets the last state of
 * each row once, and holds up no one.
 */
export async function* rowsMessages(feed: RowSource, clock: Clock, signal: AbortSignal): AsyncGenerator<string> {
  const news = new Waiters();
  /** The changes that were not sent yet. */
  const ids = new Set<string>();
  using _listening = feed.listen((changed) => {
    for (const id of changed) ids.add(id);
    news.wakeAll();
  });
  let isReady = false;
  feed.ready().then(() => {
    isReady = true;
    news.wakeAll();
  });
  let [isSent, isWell, headlines, saidAt] = [false, true, "[]", clock.monotonic()];
  // So that the page knows that it is heard, however long the list takes.
  yield lineOf({ kind: "beat", now: clock.now() });
  while (!signal.aborted) {
    if (ids.size === 0 && (isSent || !isReady)) {
      using stage = new Stage(signal);
      await endsWithin(clock, LOOK_MS, news.woken(stage.signal));
    }
    const isFirst: boolean = isReady && !isSent;
    // Some rows may be there before all are: they are sent with the others.
    const changed = isFirst ? feed.ids : isSent ? [...ids] : [];
    ids.clear();
    isSent ||= isFirst;
    // A page that still waits for the rows hears of trouble alone: it forgets the rest when they start, and takes `ready`
    // for all of them.
    const { error } = feed;
    const lines = isSent ? feed.headlines : [];
    const isTurned = isFirst || isWell !== (error === undefined);
    isWell = error === undefined;
    const turned: RowsMessage[] = [];
    if (JSON.stringify(lines) !== headlines) turned.push({ kind: "headlines", lines });
    headlines = JSON.stringify(lines);
    if (isFirst || (isSent && isTurned && isWell)) turned.push({ kind: "ready", now: clock.now() });
    if (isTurned && !isWell) turned.push(troubleOf(error));
    if (changed.length + turned.length === 0) {
      if (clock.monotonic() - saidAt < BEAT_MS) continue;
      turned.push({ kind: "beat", now: clock.now() });
    }
    saidAt = clock.monotonic();
    if (isFirst) yield lineOf({ kind: "start", now: clock.now(), total: changed.length });
    // Line by line, each made when it is taken: a page that takes none holds no text.
    yield* rowLines(feed, changed, clock);
    for (const message of turned) yield lineOf("now" in message ? { ...message, now: clock.now() } : message);
  }
}

/** The rows of these, and which of them are gone. */
function* rowLines(feed: RowSource, ids: readonly string[], clock: Clock): Generator<string> {
  const gone: string[] = [];
  for (let i = 0; i < ids.length; i += ROWS) {
    const texts: string[] = [];
    for (const id of ids.slice(i, i + ROWS)) {
      const json = feed.json(id);
      if (json === undefined) gone.push(id);
      else texts.push(json);
    }
    // Each row is JSON already.
    if (texts.length > 0) yield `{"kind":"rows","now":${clock.now()},"rows":[${texts.join(",")}]}\n`;
  }
  if (gone.length > 0) yield lineOf({ kind: "gone", ids: gone });
}

function lineOf(message: RowsMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function troubleOf(error: unknown): RowsMessage {
  const reason = error instanceof ApiError && error.isForbidden ? "Forbidden" : "Unreachable";
  return { kind: "trouble", reason, message: firstLineOf(error) };
}
