import { SCHEDULE } from "../cronjob/api/annotations.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { loadOf, type Member, simulateAll, type Simulated, type Times } from "./fleet.ts";
import type { Load } from "./load.ts";
import { type DoneRuns, type Span, visitRuns } from "./runs.ts";

/** A crowd in the busiest minute that can be avoided. */
export interface Advice {
  readonly schedule: string;
  /** How many CronJobs of that schedule start in the busiest minute. */
  readonly count: number;
  /** The schedule that spreads them over the hour. */
  readonly instead: string;
  /** The fields that take it: `spec.schedule` of `batch/v1` takes no `H`. */
  readonly fields: readonly string[];
  /** How many runs start in the busiest minute then. */
  readonly peakStarts: number;
}

/** Fewer than these are no crowd. */
const CROWD = 5;
const MINUTE_MS = 60_000;
const MOST_PIECES = 3;

/** Finds schedules that crowd into the busiest minute, and works out what `H` in place of their minute does to it. */
export async function advise(times: Times, simulated: readonly Simulated[], load: Load): Promise<Advice[]> {
  const { value: peak, at } = load.peakStarts;
  const from = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const inMinute = simulated.filter(({ runs }) => startsWithin(runs, { from, to: from + MINUTE_MS }));
  const bySchedule = Map.groupBy(inMinute, ({ member: { cronJob } }) => cronJob.settings.schedule);
  const crowds = [...bySchedule].filter(([, crowd]) => crowd.length >= Math.max(CROWD, peak / 10))
    .sort(([, a], [, b]) => b.length - a.length);
  const advice: Advice[] = [];
  for (const [schedule, crowd] of crowds) {
    if (advice.length === MOST_PIECES) break;
    const members = crowd.map(({ member }) => member);
    const instead = withHash(schedule);
    if (instead === undefined || members.some(({ cronJob }) => cronJob.settings.schedules.length > 1)) continue;
    const spread = await simulateAll(members.map((member) => spreadOut(member, instead)), times);
    const others = new Set(simulated).difference(new Set(crowd));
    const { value: peakStarts } = loadOf([...others, ...spread], times.span).peakStarts;
    const fields = [...new Set(members.map(fieldOf))];
    if (peakStarts < peak) advice.push({ schedule, count: crowd.length, instead, fields, peakStarts });
  }
  return advice;
}

function startsWithin(done: DoneRuns, { from, to }: Span): boolean {
  let isAny = false;
  visitRuns(done, ({ startsAt }) => isAny ||= startsAt >= from && startsAt < to);
  return isAny;
}

function fieldOf({ cronJob, readsAnnotations = true }: Member): string {
  if (cronJob.flavour.extrasIn === "spec") return "spec.schedule";
  return readsAnnotations ? `annotation ${SCHEDULE}` : `annotation ${SCHEDULE}, once they are adopted,`;
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@hourly": "H * * * *",
  "@daily": "H 0 * * *",
  "@midnight": "H 0 * * *",
  "@weekly": "H 0 * * 0",
  "@monthly": "H 0 1 * *",
};

/** Returns the same schedule with `H` for its minute; undefined where it would run more or less often. */
function withHash(schedule: string): string | undefined {
  const [minute = "", ...others] = schedule.trim().split(/\s+/);
  if (others.length === 0) return DESCRIPTORS[minute];
  if (others.length !== 4) return undefined;
  const hashed = /^\d+$/.test(minute) ? "H" : /^(?:\*|0)\/\d+$/.test(minute) ? `H/${minute.split("/")[1]}` : undefined;
  return hashed === undefined ? undefined : [hashed, ...others].join(" ");
}

function spreadOut(member: Member, schedule: string): Member {
  const { flavour, object } = member.cronJob;
  const changed: object = flavour.extrasIn === "spec"
    ? { spec: { ...object.spec, schedule } }
    : { metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [SCHEDULE]: schedule } } };
  return { ...member, cronJob: readCronJob(flavour, { ...object, ...changed } as CronJobObject) };
}
