import { scheduledJobName } from "../../cronjob/api/job_name.ts";
import { eventSuffix } from "../../runtime/event_name.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { type EventFacts, isAbout } from "../event_facts.ts";
import type { Look } from "../look.ts";
import { scheduleOfLook } from "./asked_time.ts";

/** The Event of one of these reasons that is about a scheduled time, if there is one. */
export function eventAbout(look: Look, time: EpochMs, reasons: readonly string[]): EventFacts | undefined {
  const { events = [], cronJob: { metadata: { uid } } } = look.input;
  const following = scheduleOfLook(look)?.next(time);
  return events.find((event) =>
    event.regardingUid === uid && reasons.includes(event.reason) && isAbout(event, time, { uid, following })
  );
}

/** Events that name a Job of the CronJob's own, which was there: kube-controller-manager's and ours. */
const NAMING_JOBS: readonly string[] = ["SuccessfulCreate", "SawCompletedJob", "MissingJob", "SuccessfulDelete"];

/** The name of the Job of a scheduled time that an Event proves to have been created, whether it is there still or not. */
export function jobByEvent({ input: { cronJob, events = [] } }: Look, time: EpochMs): string | undefined {
  const { flavour, metadata: { name, uid } } = cronJob;
  const job = scheduledJobName(name, flavour, time);
  const event = events.find(({ regardingUid, reason, message }) =>
    regardingUid === uid && NAMING_JOBS.includes(reason) && message.split(/[ ,]/).includes(job)
  );
  return event && isOfTime(event, time, { uid, unitMs: flavour.nameUnitSeconds * 1_000 }) ? job : undefined;
}

/** Of the times that share a Job's name it is the one that the Event's name tells; else that at which the name begins. */
function isOfTime({ name, reason }: EventFacts, time: EpochMs, { uid, unitMs }: { uid: string; unitMs: number }) {
  const begin = time - time % unitMs;
  const told = Array.from({ length: unitMs / 1_000 }, (_, i) => begin + i * 1_000)
    .find((candidate) => name.endsWith(`.${eventSuffix(uid, reason, candidate)}`));
  return (told ?? begin) === time;
}
