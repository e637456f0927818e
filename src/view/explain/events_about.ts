import { scheduledJobName } from "../../cronjob/api/job_name.ts";
import { eventSuffix } from "../../runtime/event_name.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { type EventFacts, isAbout } from "../event_facts.ts";
import type { Look } from "../look.ts";
import { scheduleOfLook, timeInWords } from "./asked_time.ts";
import type { Verdict, VerdictKind } from "./explanation.ts";
import { didNotRun, whySkipped } from "./run_verdict.ts";

/** Returns the Event of one of these reasons that is about a scheduled time, if there is one. */
export function eventAbout(look: Look, time: EpochMs, reasons: readonly string[]): EventFacts | undefined {
  const { events = [], cronJob: { metadata: { uid } } } = look.input;
  const following = scheduleOfLook(look)?.next(time);
  return events.find((event) =>
    event.regardingUid === uid && reasons.includes(event.reason) && isAbout(event, time, { uid, following })
  );
}

/** Events that name a Job of the CronJob's own, which was there: kube-controller-manager's and ours. */
const NAMING_JOBS: readonly string[] = ["SuccessfulCreate", "SawCompletedJob", "MissingJob", "SuccessfulDelete"];

/**
 * Returns the name of the Job of a scheduled time that an Event proves to have been created, whether it is there still
 * or not.
 */
export function jobByEvent({ input: { cronJob, events = [] } }: Look, time: EpochMs): string | undefined {
  const { flavour, metadata: { name, uid } } = cronJob;
  const job = scheduledJobName(name, flavour, time);
  const own = events.filter(({ regardingUid }) => regardingUid === uid);
  const naming = own.filter(({ reason, message }) =>
    NAMING_JOBS.includes(reason) && message.split(/[ ,]/).includes(job)
  );
  if (naming.length === 0) return undefined;
  // Several times may share a Job's name: it is of the one that an Event has in its name, be it a creation whose answer
  // was a failure; else of that at which the name begins.
  const unitMs = flavour.nameUnitSeconds * 1_000;
  const begin = time - time % unitMs;
  const sharing = Array.from({ length: unitMs / 1_000 }, (_, i) => begin + i * 1_000);
  const toldBy = ({ name, reason }: EventFacts) =>
    sharing.find((candidate) => name.endsWith(`.${eventSuffix(uid, reason, candidate)}`));
  const told = [...naming, ...own.filter(({ reason }) => reason === "FailedCreate")].map(toldBy).find((candidate) =>
    candidate !== undefined
  );
  return (told ?? begin) === time ? job : undefined;
}

/** Reasons of Events that say what became of a time. */
const TOLD: ReadonlyMap<string, readonly [VerdictKind, string]> = new Map([
  ["JobAlreadyActive", ["Skipped", "skipped"]],
  ["MissSchedule", ["Missed", "missed"]],
  ["JobNameTaken", ["Missed", "missed"]],
  ["FailedCreate", ["NotStarted", "its Job could not be created"]],
]);

/** Returns what an Event about a time says of it. */
export function toldByEvent(look: Look, time: EpochMs): Verdict | undefined {
  const event = eventAbout(look, time, [...TOLD.keys()]);
  const told = event && TOLD.get(event.reason);
  if (!told) return undefined;
  const [kind, what] = told;
  const { scheduled } = look.findings;
  const isDue = scheduled.kind === "start" && scheduled.request.scheduledTime === time;
  if (event.reason === "FailedCreate" && !isDue && !isDefinite(event)) {
    const at = timeInWords(time, look);
    const message = `may have run at ${at}, or not: the API server did not say whether it created its Job`;
    return { kind: "Unknown", message, why: event.message };
  }

  const why = kind === "Skipped" ? whySkipped(look, time, event.reason) : event.message;
  return didNotRun(isDue ? "Overdue" : kind, time, look, what, why);
}

/** How an API server says that it surely did not do what it was asked. One that fails, or stops waiting, may have. */
const REFUSALS = /\bis (forbidden|invalid)\b|denied the request|exceeded quota|not found/;

function isDefinite({ message }: EventFacts): boolean {
  return REFUSALS.test(message);
}
