import { type EpochMs, formatTime } from "../../../../src/base/epoch_ms.ts";
import type { SaidRow } from "./answers.ts";
import { inWords, isAllCaughtUp, isLimited, isToCome, runOf, SLACK_MS, startedSince, type Story } from "./judge.ts";

/**
 * Each time that is planned comes to a run, and no other does. A run is planned by its scheduled time, by the instant at
 * which it starts, or in line behind others by one in between. `times` may end before the hours do.
 */
export function ofPlanned(story: Story, { nextRun }: SaidRow, times: readonly EpochMs[] | undefined): string[] {
  if (times === undefined || nextRun?.kind === "unknown") return [];
  const { askedAt, endsAt } = story;
  const until = Math.min(endsAt - SLACK_MS, times.length < MOST ? Infinity : times.at(-1)!);
  const started = startedSince(story);
  const unplanned = started.filter(isToCome(story))
    .filter(({ scheduledTime }) => scheduledTime! <= until)
    .filter(({ scheduledTime, startedAt }) => !times.some((time) => time >= scheduledTime! && time <= startedAt))
    .map((run) => `${inWords(run)}, and that was not planned`);
  const comesToNothing = times.filter((time) =>
    time > askedAt && time <= until && !mayNot(story) &&
    !runOf(story, time) && !started.some(({ startedAt }) => startedAt === time)
  )
    .map((time) => `${formatTime(time)} is planned, and it did not start`);
  return [...unplanned, ...comesToNothing];
}

/** As many as the page shows. */
const MOST = 10;

/** Whether runs that are active, or fail, or stand in line, may keep others from starting. */
function mayNot({ world }: Story): boolean {
  return isLimited(world) || isAllCaughtUp(world) || world.spec.pauseAfterFailures !== undefined;
}
