import { isAmong } from "../../cronjob/decision/stretches.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { Look } from "../look.ts";
import { nextRunOf, onceFollowed } from "../next_run.ts";
import { distanceOf } from "../times.ts";
import { scheduleOfLook, timeInWords } from "./asked_time.ts";
import { did } from "./did_not_run.ts";
import type { Verdict } from "./explanation.ts";

/** Returns the verdict on a time inside a pause, if a run for it starts at the end of that. */
export function startsAfterPause(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { now, cronJob: { settings: { catchUp } } }, findings: { block } } = look;
  const next = nextRunOf(look);
  if (block?.until === undefined || next?.kind !== "known" || next.startsAt !== block.until) return undefined;
  const { scheduledTime: first, startsAt } = next;
  if (time !== first && !isAmong(onceFollowed(look).due.line?.held ?? [], time)) return undefined;
  const which = catchUp === "All" ? "missed runs start one after the other then" : "the latest missed run starts then";
  const why = `it is paused until ${timeInWords(startsAt, look)} (${block.message}); ${which} (catchUp: ${catchUp})`;
  if (time <= now) return did("Waiting", time, look, "it waits for the end of the pause", why);
  const when = time === first ? `in ${distanceOf(now, startsAt)}` : "in its turn";
  const message = `will run late for ${timeInWords(time, look)}, ${when}`;
  return { kind: "WillRun", message, why };
}

/** Returns whether the run of a time inside a pause may have started at its end: the latest does, or all do. */
export function mayStartAfter(look: Look, time: EpochMs, ended: EpochMs): boolean {
  const { catchUp, dropsOnResume, latenessMs = Infinity } = look.input.cronJob.settings;
  if (dropsOnResume || ended - time > latenessMs) return false;
  return catchUp === "All" || (scheduleOfLook(look)?.next(time) ?? Infinity) > ended;
}
