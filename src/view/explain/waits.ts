import type { Wait } from "../../cronjob/decision/findings.ts";
import { ruleOf, unlessLater } from "../../cronjob/decision/waits.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { isPending, type Look } from "../look.ts";
import { whyPending } from "../pods.ts";
import { waitingTimes } from "../waiting.ts";
import { timeInWords } from "./asked_time.ts";
import type { Verdict } from "./explanation.ts";

/** Returns what a time waits for, that is due and that others hold back. */
export function waits(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { cronJob: { settings }, runner }, findings: { scheduled, block } } = look;
  const place = waitingTimes(look.findings).indexOf(time);
  if (place < 0) return undefined;
  const message = `waits: its run of ${timeInWords(time, look)} is due`;
  if (block) return { kind: "Waiting", message, why: `${block.message}: it starts in its turn when that ends` };
  if (scheduled.kind === "none" || scheduled.kind === "done") return undefined;
  const isNext = time === scheduled.request.scheduledTime;
  if (isNext && scheduled.kind !== "wait") return undefined;
  if (isNext && scheduled.kind === "wait") return { kind: "Waiting", message, why: whyWaits(look, scheduled) };
  const why =
    `${place === 1 ? "one older run comes" : `${place} older runs come`} first (catchUp: ${settings.catchUp}), ` +
    `now that of ${timeInWords(scheduled.request.scheduledTime, look)}${
      runner?.by === "none" ? `; ${runner.why}` : ""
    }`;
  return { kind: "Waiting", message, why };
}

/** Returns what a run that is due waits for. */
function whyWaits(look: Look, { by: [holder, ...others] }: Wait): string {
  const { cronJob: { settings }, runner } = look.input;
  const { scheduledTime, createdAt, metadata: { name } } = holder!;
  const stuck = isPending(holder!, look.input) ? `: ${whyPending(holder!, look.input).message}` : "";
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const run = `the run of ${timeInWords(scheduledTime ?? createdAt ?? 0, look)} (${name}${more}) is active${stuck}`;
  const then = runner?.by === "none"
    ? `would start when that ends, but ${runner.why}`
    : `starts when that ends${unlessLater(settings)}`;
  return `${ruleOf(settings)}: ${run}; this one ${then}`;
}
