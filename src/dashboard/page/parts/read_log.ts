import { type LogMessage, SHOWN_LINES } from "../../wire.ts";
import { LogPlace } from "../../../view/log_place.ts";
import { pause, retryMs } from "../model/retry.ts";
import { lines, messageOf, Refusal } from "../server.ts";

export const NOTHING_KEPT = "No Pod of the run is left, and no output of it was kept.";

/** How long lines are gathered before they are drawn. */
const DRAW_MS = 50;

export interface Log {
  readonly lines: readonly string[];
  /** Whether earlier lines are left out. */
  readonly isCut: boolean;
  readonly note: string;
  /** Whether the note says why nothing more comes now. */
  readonly isTroubled: boolean;
}

export const EMPTY: Log = { lines: [], isCut: false, note: "Waiting for its output…", isTroubled: false };

type Line = Extract<LogMessage, { kind: "line" }>;

/** Shows the log of a Job whenever some of it has come, until it is complete: where it breaks off, it is read on. */
export async function readLog(
  of: { readonly namespace: string; readonly name: string; readonly job: string },
  show: (log: Log) => void,
  signal: AbortSignal,
): Promise<void> {
  let all: Line[] = [];
  let said = LIVE;
  let isCut = false;
  const places = new Map<string, LogPlace>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    if (signal.aborted) return;
    isCut ||= all.length > SHOWN_LINES;
    all = all.slice(-SHOWN_LINES);
    const textOf = places.size > 1 ? (line: Line) => `${containerOf(line, of.job)} | ${lineText(line)}` : lineText;
    show({ lines: all.map(textOf), isCut, ...said });
  };
  /** Reads until the connection ends. Returns why it ended; undefined where nothing more can be read. */
  const readOn = async (onHeard: () => void): Promise<string | undefined> => {
    for (const place of places.values()) place.readAgain();
    let why = "";
    let isOver = false;
    for await (const message of lines<LogMessage>(`/api/logs?${new URLSearchParams(of)}`, signal)) {
      if (message.kind === "beat" && !said.isTroubled) continue;
      if (message.kind === "trouble") why = message.message;
      else onHeard();
      if (message.kind === "line") {
        const container = containerOf(message, of.job);
        const place = places.get(container) ?? new LogPlace();
        places.set(container, place);
        // The lines of a log without times are all shown once more.
        if (place.passes(message.at ?? "")) all.push(message);
      }
      said = saidBy(message, all.length, said);
      if (message.kind === "end") return undefined;
      isOver = message.kind === "trouble" && message.isFinal === true;
      timer ??= setTimeout(draw, DRAW_MS);
    }
    return isOver ? undefined : why;
  };
  for (let failures = 0; !signal.aborted; await pause(retryMs(failures++), signal)) {
    try {
      const why = await readOn(() => failures = 0);
      if (why === undefined) return draw();
      said = brokenOff(why);
    } catch (error) {
      const why = messageOf(error);
      if (error instanceof Refusal && error.code < 500) {
        said = { note: why, isTroubled: true };
        return draw();
      }
      said = brokenOff(why);
    }
    draw();
  }
}

type Said = Pick<Log, "note" | "isTroubled"> & { readonly isFinal?: boolean | undefined };

const LIVE: Said = { note: "Live", isTroubled: false };

function brokenOff(why: string): Said {
  return { note: `The log has broken off, and goes on by itself. ${why}`, isTroubled: true };
}

/** Returns what a message says of the log. @param count of its lines */
function saidBy(message: LogMessage, count: number, before: Said): Said {
  switch (message.kind) {
    case "line":
      return LIVE;
    case "beat":
      return before.isFinal ? before : LIVE;
    case "end":
      return before.isFinal && count === 0 ? before : { note: endOf(message, count), isTroubled: false };
    case "waits":
      return { note: message.message, isTroubled: false };
    case "trouble":
      return { note: message.message, isTroubled: true, isFinal: message.isFinal };
  }
}

function endOf({ isWithoutPods }: Extract<LogMessage, { kind: "end" }>, count: number): string {
  if (count > 0) return "The run has ended.";
  return isWithoutPods ? NOTHING_KEPT : "The run wrote nothing.";
}

/** Names a Pod without its Job, whose name stands above. */
function containerOf({ pod, container }: Line, job: string): string {
  return `${pod.startsWith(`${job}-`) ? pod.slice(job.length + 1) : pod}/${container}`;
}

function lineText({ text, isCut }: Line): string {
  return `${withoutCodes(text)}${isCut ? " … the rest of this line is not shown" : ""}`;
}

/** Takes out colours, titles and links of a terminal, which mean nothing here. */
export function withoutCodes(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g, "");
}
