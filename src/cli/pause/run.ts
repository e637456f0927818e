import { PAUSE_MANAGER, planPause } from "../../actions/pause.ts";
import { planResume } from "../../actions/resume.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { ConfigError } from "../errors.ts";
import { act } from "../cluster/act.ts";
import type { ActOptions } from "../flags/choice.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { requestBy, withChosen } from "../cluster/with_chosen.ts";

/** Pauses the CronJobs that are chosen, each in its own time zone where `until` names none. */
export async function runPause(
  { until, reason, ...options }: ActOptions & {
    readonly until?: string | undefined;
    readonly reason?: string | undefined;
  },
  clock: Clock,
): Promise<void> {
  const now = clock.now();
  // Text that is no time is none in any zone.
  if (until !== undefined) readPeopleTime(until, "--until", { now, zone: "UTC", towards: "future" });
  await withChosen(options, "pause", async (client, cronJobs, place) => {
    const request = { ...await requestBy(client, clock), reason, controllers: await place.controllers(clock) };
    await act(client, cronJobs, {
      fieldManager: PAUSE_MANAGER,
      plan: (cronJob) => planPause(cronJob, { ...request, until: untilOf(cronJob, until, now) }),
    }, options);
  });
}

/** @throws {ConfigError} for a time that has passed by the wall clock of the CronJob */
function untilOf(cronJob: CronJob, until: string | undefined, now: EpochMs): EpochMs | undefined {
  if (until === undefined) return undefined;
  const zone = zoneOf(cronJob);
  const { at } = readPeopleTime(until, "--until", { now, zone, towards: "future" });
  if (at > now) return at;
  const { name } = cronJob.metadata;
  throw new ConfigError(`${name}: --until must lie in the future, ${until} is ${fullTime(at, zone)}`);
}

/** Ends the pauses of the CronJobs that are chosen; one of another person only where `by` names them. */
export async function runResume(
  { by, reason, ...options }: ActOptions & { readonly by?: string | undefined; readonly reason?: string | undefined },
  clock: Clock,
): Promise<void> {
  await withChosen(options, "resume", async (client, cronJobs) => {
    const asked = await requestBy(client, clock);
    const request = { ...asked, of: by ?? asked.by, reason };
    const plan = (cronJob: CronJob) => planResume(cronJob, request);
    await act(client, cronJobs, { fieldManager: PAUSE_MANAGER, plan }, options);
  });
}
