import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJobView, State } from "../../view/cron_job_view.ts";
import type { Look } from "../../view/look.ts";

/** So soon after a run was due its CronJob is looked at: what happens then is said by news, and goes first. */
const AFTER_DUE_MS = 1_000;

/** A view may depend on the time: whether a run that is due has become overdue, or an active one waits for too long. */
const CHANGING_MS = 60_000;

/** The next change of a calm CronJob by time alone is known beforehand. Yet the clock may be set. */
const CALM_MS = 10 * 60_000;

/** In these, where no run is due or active, a CronJob is seen as it is until the next run is due. */
const CALM: readonly State[] = ["Failing", "Suspended", "Waiting"];

/** Returns when a CronJob is to be looked at again where nothing is heard of it. */
export function lookAgainAt(look: Look, { state, nextRun }: Pick<CronJobView, "state" | "nextRun">): EpochMs {
  const { input: { now }, active, findings: { scheduled } } = look;
  const isDue = scheduled.kind !== "none" && scheduled.kind !== "done";
  const isCalm = CALM.includes(state) && active.length === 0 && !isDue && nextRun?.kind !== "unknown";
  const next = nextRun?.kind === "known" && nextRun.startsAt > now ? nextRun.startsAt + AFTER_DUE_MS : Infinity;
  return Math.min(next, now + (isCalm ? CALM_MS : CHANGING_MS));
}
