// A thousand CronJobs of every sort, sparse enough for weeks, and for each the scheduled times that it has to run: by a look
// at every minute, which knows nothing of src/schedule and src/cronjob.
import { type Flavour, FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../../src/cronjob/api/types.ts";
import {
  type Minutes,
  type ModelSchedule,
  plainItem,
  type Policy,
  readMinutes,
  scan,
  valuesOf,
} from "../../schedule/support/scan.ts";
import { atLeast, must } from "../../support/expected.ts";

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
/** `M`, `H` and `D` stand for a minute, an hour and a day of the month that are chosen. */
const DENSE = ["*/5 * * * *", "*/15 * * * *", "*/15 * * * *"];
const HOURLY = ["M * * * *", "M * * * *", "M */2 * * *", "M 8-18 * * 1-5"];
const SPARSE = ["M H * * *", "M H * * *", "M H * * *", "M H * * 0", "M H D * *", "M */2 * * *"];

function scheduleOf(form: string, pick: Pick): ModelSchedule {
  const minute = pick([0, 1, 15, 29, 30, 31, 45, 59]);
  // Where clocks are changed.
  const hour = pick([0, 1, 1, 2, 2, 3, 4, 23]);
  const day = pick([1, 14, 25, 28]);
  const text = form.replace("M", `${minute}`).replace("H", `${hour}`).replace("D", `${day}`);
  const bounds = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 6]] as const;
  const fields = text.split(" ").map((field, i) => {
    const [range = "", step = "1"] = field.split("/");
    const [first = NaN, last = first] = range === "*" ? must(bounds[i]) : range.split("-").map(Number);
    return plainItem(field, valuesOf(first, last, Number(step)), field === "*");
  });
  const [m, h, dayOfMonth, month, dayOfWeek] = atLeast(5, fields);
  return { text, minute: m, hour: h, dayOfMonth, month, dayOfWeek };
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
