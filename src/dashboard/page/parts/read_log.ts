import type { LogMessage } from "../../wire.ts";
import { lines, messageOf } from "../server.ts";

export const NOTHING_KEPT = "No Pod of the run is left, and no output of it was kept.";

/** Lines of the end that are kept. */
const KEPT = 5_000;
const DRAW_MS = 50;

export interface Log {
  readonly lines: readonly string[];
  /** Sentences that say which lines are missing. */
  readonly cuts: readonly string[];
  readonly note: string;
}

export const EMPTY: Log = { lines: [], cuts: [], note: "Waiting for its output…" };

type Line = Extract<LogMessage, { kind: "line" }>;

/** Shows the log of a Job whenever some of it has come, until it is complete. */
export async function readLog(
  of: { readonly namespace: string; readonly name: string; readonly job: string },
  show: (log: Log) => void,
  signal: AbortSignal,
): Promise<void> {
  let all: Line[] = [];
  let note = "Live";
  const cuts = new Set<string>();
  const containers = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    timer = undefined;
    if (signal.aborted) return;
    if (all.length > KEPT) cuts.add(`Only the last ${KEPT} lines are shown`);
    all = all.slice(-KEPT);
    const textOf = containers.size > 1 ? (line: Line) => `${containerOf(line, of.job)} | ${lineText(line)}` : lineText;
    show({ lines: all.map(textOf), cuts: [...cuts], note });
  };
  try {
    for await (const message of lines<LogMessage>(`/api/logs?${new URLSearchParams(of)}`, signal)) {
      if (message.kind === "line") {
        containers.add(containerOf(message, of.job));
        all.push(message);
        note = "Live";
      } else if (message.kind === "cut") cuts.add(message.message);
      else note = noteOf(message, all.length);
      timer ??= setTimeout(draw, DRAW_MS);
    }
  } catch (error) {
    if (signal.aborted) return;
    note = messageOf(error);
  }
  clearTimeout(timer);
  draw();
}

function noteOf(message: Exclude<LogMessage, { kind: "line" | "cut" }>, count: number): string {
  if (message.kind !== "end") return message.message;
  if (count > 0) return "The run has ended.";
  return message.isWithoutPods ? NOTHING_KEPT : "The run wrote nothing.";
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
