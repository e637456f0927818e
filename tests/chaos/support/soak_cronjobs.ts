// A thousand CronJobs of every sort, sparse enough for weeks, and for each the scheduled times that it has to run: by a look
// at every minute, which knows nothing of src/schedule and src/cronjob.
import { type Flavour, FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../../src/cronjob/api/types.ts";
import {
  type Minutes,
  type ModelField,
  type ModelSchedule,
  type Policy,
  readMinutes,
  scan,
} from "../../schedule/support/scan.ts";

const MINUTE_MS = 60_000;

export interface SoakCronJob {
  readonly name: string;
  readonly flavour: Flavour;
  readonly schedule: ModelSchedule;
  readonly zone: string;
  readonly clockChanges: Policy;
  readonly concurrency: "Allow" | "Forbid" | "Replace" | "Queue";
  readonly catchUp: "Latest" | "All" | "None";
  readonly deadlineMinutes: number | undefined;
  /** How long each of its Jobs takes: less than lies between two runs, so that none is in the way of another. */
  readonly runMinutes: number;
  readonly fails: boolean;
}

/** When no controller runs. */
export interface Downtime {
  readonly from: number;
  readonly to: number;
}

/** What Kubernetes does, and what `batch/v1` cannot change. */
const KUBERNETES: Policy = { gap: "Skip", overlap: "Both" };
/** Under `catchUp: None`, as documented. */
const PUNCTUAL_MINUTES = 1;

const ZONES = ["Europe/Berlin", "America/New_York", "UTC", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata"];

export function soakCronJobs(count: number): SoakCronJob[] {
  return Array.from({ length: count }, (_, i) => {
    const pick = picker(i);
    const isDense = i % 100 < 1;
    const flavour = pick(FLAVOURS);
    const isOpen = flavour.extrasIn === "spec";
    const clockChanges: Policy = isOpen
      ? { gap: pick(["Skip", "RunAfter"] as const), overlap: pick(["Both", "First", "Second"] as const) }
      : KUBERNETES;
    return {
      name: `soak-${i}`,
      flavour,
      schedule: scheduleOf(isDense ? pick(DENSE) : i % 100 < 9 ? pick(HOURLY) : pick(SPARSE), pick),
      zone: pick(ZONES),
      clockChanges,
      concurrency: isDense
        ? "Allow"
        : pick(["Allow", "Allow", "Forbid", "Replace", ...isOpen ? ["Queue" as const] : []]),
      catchUp: pick(["Latest", "All", "None"]),
      deadlineMinutes: pick([undefined, undefined, 20, 100]),
      // A run that comes after a gap may follow another one within a minute.
      runMinutes: clockChanges.gap === "RunAfter" ? 0 : pick([0, 1, 3]),
      fails: pick([true, false, false, false]),
    };
  });
}

/** The spec, or the annotations, that ask for it. */
export function specOf(cronJob: SoakCronJob): { spec: Partial<CronJobSpec>; annotations?: Record<string, string> } {
  const { flavour, schedule, zone, clockChanges, concurrency, catchUp, deadlineMinutes } = cronJob;
  const common: Partial<CronJobSpec> = {
    schedule: schedule.text,
    timeZone: zone,
    concurrencyPolicy: concurrency,
    successfulJobsHistoryLimit: 2,
    failedJobsHistoryLimit: 1,
    ...(deadlineMinutes !== undefined && { startingDeadlineSeconds: deadlineMinutes * 60 }),
  };
  return flavour.extrasIn === "spec"
    ? { spec: { ...common, clockChangePolicy: clockChanges, catchUp: { policy: catchUp } } }
    : { spec: common, annotations: { "cronjob-controller.dev/catch-up": catchUp } };
}

/** Every scheduled time that has to run, in order. */
export function slotsOf(cronJob: SoakCronJob, minutes: MinutesByZone, downtimes: readonly Downtime[]): number[] {
  const all = scan(minutes.of(cronJob.zone), cronJob.schedule, cronJob.clockChanges)
    .filter((slot) => slot > minutes.from && slot <= minutes.to);
  return downtimes.reduce((slots, downtime) => withoutLost(slots, cronJob, downtime), all);
}

/** What is left of the runs that came due while no controller was there to start them. */
function withoutLost(slots: number[], { catchUp, deadlineMinutes }: SoakCronJob, { from, to }: Downtime): number[] {
  const isMissed = (slot: number) => slot > from && slot <= to;
  const latenessMinutes = Math.min(deadlineMinutes ?? Infinity, catchUp === "None" ? PUNCTUAL_MINUTES : Infinity);
  const inTime = slots.filter((slot) => isMissed(slot) && to - slot < latenessMinutes * MINUTE_MS);
  const started = new Set(catchUp === "All" ? inTime : inTime.slice(-1));
  return slots.filter((slot) => !isMissed(slot) || started.has(slot));
}

/** The wall clocks of a span of time and half a day on either side, so that a clock change at its edge is seen whole. */
export class MinutesByZone {
  readonly #minutes = new Map<string, Minutes>();

  constructor(readonly from: number, readonly to: number) {}

  of(zone: string): Minutes {
    const marginMs = 720 * MINUTE_MS;
    let minutes = this.#minutes.get(zone);
    if (!minutes) {
      minutes = readMinutes(zone, this.from - marginMs, (this.to - this.from + 2 * marginMs) / MINUTE_MS);
      this.#minutes.set(zone, minutes);
    }
    return minutes;
  }
}

type Pick = <T>(choices: readonly T[]) => T;
type Shape = "dense" | "quarter" | "hour" | "two hours" | "working hours" | "night" | "week" | "month";

const DENSE: readonly Shape[] = ["dense", "quarter", "quarter"];
const HOURLY: readonly Shape[] = ["hour", "hour", "two hours", "working hours"];
const SPARSE: readonly Shape[] = ["night", "night", "night", "week", "month", "two hours"];

function scheduleOf(shape: Shape, pick: Pick): ModelSchedule {
  const minute = one(pick([0, 1, 15, 29, 30, 31, 45, 59]));
  // Where clocks are changed.
  const hour = one(pick([0, 1, 1, 2, 2, 3, 4, 23]));
  const parts: Record<Shape, Partial<Record<FieldName, ModelField>>> = {
    dense: { minute: every(5, 0, 59) },
    quarter: { minute: every(15, 0, 59) },
    hour: { minute },
    "two hours": { minute, hour: every(2, 0, 23) },
    "working hours": { minute, hour: range(8, 18), dayOfWeek: range(1, 5) },
    night: { minute, hour },
    week: { minute, hour, dayOfWeek: one(0) },
    month: { minute, hour, dayOfMonth: one(pick([1, 14, 25, 28])) },
  };
  const fields = {
    minute: ANY(0, 59),
    hour: ANY(0, 23),
    dayOfMonth: ANY(1, 31),
    month: ANY(1, 12),
    dayOfWeek: ANY(0, 6),
  };
  const { minute: m, hour: h, dayOfMonth: d, month: o, dayOfWeek: w } = { ...fields, ...parts[shape] };
  return {
    minute: m,
    hour: h,
    dayOfMonth: d,
    month: o,
    dayOfWeek: w,
    text: [m, h, d, o, w].map((f) => f.text).join(" "),
  };
}

type FieldName = "minute" | "hour" | "dayOfMonth" | "month" | "dayOfWeek";

function ANY(first: number, last: number): ModelField {
  return { text: "*", values: new Set(numbers(first, last, 1)), monthDays: [], starred: true };
}

function one(value: number): ModelField {
  return { text: `${value}`, values: new Set([value]), monthDays: [], starred: false };
}

function range(first: number, last: number): ModelField {
  return { text: `${first}-${last}`, values: new Set(numbers(first, last, 1)), monthDays: [], starred: false };
}

function every(step: number, first: number, last: number): ModelField {
  return { text: `*/${step}`, values: new Set(numbers(first, last, step)), monthDays: [], starred: false };
}

function numbers(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);
}

/** Chooses alike for the same number. */
function picker(seed: number): Pick {
  let state = (seed + 1) * 2_654_435_761 % 2 ** 31;
  return (choices) => {
    for (let i = 0; i < 3; i++) state = (state * 48_271 + 1) % (2 ** 31 - 1);
    // One of the choices may be undefined: no such field.
    return choices[state % choices.length] as typeof choices[number];
  };
}
