import { formatTime } from "../../../../src/base/epoch_ms.ts";
import type { Said, SaidRow } from "./answers.ts";
import { inWords, isAllCaughtUp, isLimited, isToCome, SLACK_MS, startedSince, type Story } from "./judge.ts";
import type { Run } from "./life.ts";

/**
 * Each time that is planned comes to a run, and no other does. A run that stands in line is planned by an instant before it
 * starts. `times` may end before the hours do.
 */
export function ofPlanned(story: Story, { nextRun }: SaidRow, planned: Said["planned"]): string[] {
  if (planned === undefined || nextRun?.kind === "unknown") return [];
  const { by, times } = planned;
  const { askedAt, endsAt, runs } = story;
  const until = Math.min(endsAt - SLACK_MS, times.length < MOST ? Infinity : times.at(-1)!);
  const isPlanned = (run: Run) =>
    times.includes(run[by]!) ||
    (mayNot(story) && times.some((time) => time >= run.scheduledTime! && time <= run.startedAt));
  const unplanned = startedSince(story).filter(isToCome(story))
    .filter((run) => run[by]! <= until && !isPlanned(run))
    .map((run) => `${inWords(run)}, and that was not planned`);
  const comesToNothing = times
    .filter((time) => time > askedAt && time <= until && !mayNot(story) && !runs.some((run) => run[by] === time))
    .map((time) => `${formatTime(time)} is planned, and it did not start`);
  return [...unplanned, ...comesToNothing];
}

/** As many as the page shows. */
const MOST = 10;

/** Whether runs that are active, or fail, or stand in line, may keep others from starting. */
function mayNot({ world }: Story): boolean {
  return isLimited(world) || isAllCaughtUp(world) || world.spec.pauseAfterFailures !== undefined;
}
