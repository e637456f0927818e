import type { DeepReadonly } from "../../kube/object.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { parseSchedule, type Schedule } from "../../schedule/schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { isTimeZone } from "../../schedule/time_zone.ts";
import type { CronJobApi } from "../api/flavour.ts";
import { type PlannedEvent, specProblem } from "../status/events.ts";
import { jobNameFor, MAX_JOB_NAME_LENGTH } from "./job_template.ts";
import { regimeOf } from "../api/stewardship.ts";
import type { Settings } from "../api/settings.ts";
import type { CronJobObject } from "../api/types.ts";

/** Whether the schedule is followed at all just now; if not, why. */
export type Gate =
  | { readonly open: true; readonly schedule: Schedule; readonly events: readonly PlannedEvent[] }
  | ({ readonly open: false; readonly events: readonly PlannedEvent[] } & Closed);

interface Closed {
  /** Reason of the condition `Ready`. */
  readonly reason: string;
  readonly message: string;
  /** Nothing is started, by whomever it is asked for. */
  readonly isTotal?: boolean;
  /** When it opens by itself. */
  readonly requeueAt?: EpochMs;
  /** For what is the author's to mend. */
  readonly warning?: { readonly reason: string; readonly message: string };
}

export interface GateInput {
  readonly api: CronJobApi;
  readonly cronJob: DeepReadonly<CronJobObject>;
  readonly settings: Settings;
  readonly now: EpochMs;
}

type Check = (input: GateInput) => Closed | undefined;

/** In this order; the first that objects is the reason. */
const CHECKS: readonly Check[] = [beingDeleted, notOurs, nameTooLong, unknownTimeZone, suspended, badSchedule, paused];

export function passGate(input: GateInput): Gate {
  const generation = input.cronJob.metadata.generation;
  for (const check of CHECKS) {
    const closed = check(input);
    if (!closed) continue;
    const { warning } = closed;
    return {
      ...closed,
      open: false,
      events: warning ? [specProblem(warning.reason, warning.message, generation)] : [],
    };
  }
  const { schedule } = input.settings;
  return {
    open: true,
    schedule: parse(input.settings),
    events: schedule.includes("TZ") ? [specProblem("UnsupportedSchedule", zoneInside(schedule), generation)] : [],
  };
}

/** What is wrong with schedule or zone, whatever else keeps the gate closed. */
export function scheduleProblem(input: GateInput): Closed | undefined {
  return unknownTimeZone(input) ?? badSchedule(input);
}

function beingDeleted({ cronJob }: GateInput): Closed | undefined {
  if (cronJob.metadata.deletionTimestamp === undefined) return undefined;
  return { reason: "Deleting", message: "The CronJob is being deleted", isTotal: true };
}

/** No run of it may start here, as somebody else starts them, or soon will. */
function notOurs({ api, cronJob }: GateInput): Closed | undefined {
  const { closed, isContested } = regimeOf(api, cronJob);
  return closed && { ...closed, isTotal: true, warning: isContested ? closed : undefined };
}

function nameTooLong({ api, cronJob, now }: GateInput): Closed | undefined {
  const { length } = jobNameFor(api, cronJob, { trigger: "Schedule", scheduledTime: now });
  if (length <= MAX_JOB_NAME_LENGTH) return undefined;
  const excess = length - MAX_JOB_NAME_LENGTH;
  const message = `metadata.name must be no more than ${cronJob.metadata.name.length - excess} characters, ` +
    `so that the names of Jobs, which add ${
      length - cronJob.metadata.name.length
    }, stay within ${MAX_JOB_NAME_LENGTH}; ` +
    `current value has ${cronJob.metadata.name.length}`;
  return { reason: "NameTooLong", message, isTotal: true, warning: { reason: "NameTooLong", message } };
}

function unknownTimeZone({ settings: { timeZone } }: GateInput): Closed | undefined {
  if (timeZone === undefined || isTimeZone(timeZone)) return undefined;
  const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
  return { reason: "UnknownTimeZone", message, warning: { reason: "UnknownTimeZone", message } };
}

function suspended({ settings }: GateInput): Closed | undefined {
  return settings.suspended ? { reason: "Suspended", message: "spec.suspend is true" } : undefined;
}

function badSchedule({ settings }: GateInput): Closed | undefined {
  try {
    if (!parse(settings).neverRuns) return undefined;
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(settings.schedule)} : ${error.message}`;
    return { reason: "UnparseableSchedule", message, warning: { reason: "UnparseableSchedule", message } };
  }
  const message =
    `invalid schedule: ${settings.schedule} : time difference between two schedules is less than 1 second`;
  return { reason: "InvalidSchedule", message, warning: { reason: "InvalidSchedule", message } };
}

function paused({ settings: { pause }, now }: GateInput): Closed | undefined {
  if (!pause || (pause.until !== undefined && pause.until <= now)) return undefined;
  return { reason: "Paused", message: pause.reason ?? "spec.pause is set", requeueAt: pause.until };
}

function parse({ schedule, timeZone, hashKey, clockChangePolicy }: Settings): Schedule {
  // A zone inside the text wins, as upstream has it.
  return parseSchedule(schedule, {
    timeZone: schedule.includes("TZ") ? undefined : timeZone,
    hashKey,
    clockChangePolicy,
  });
}

function zoneInside(schedule: string): string {
  return `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see ` +
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
}
