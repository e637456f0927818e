import { SCHEDULE } from "../cronjob/api/annotations.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import type { Fleet, Member } from "./fleet.ts";
import type { Load } from "./load.ts";
import { type DoneRuns, startsWithin } from "./runs.ts";

/** A crowd at the busiest minute that need not be one. */
export interface Advice {
  readonly schedule: string;
  /** How many CronJobs of that schedule start in the busiest minute. */
  readonly count: number;
  /** What spreads them over the hour. */
  readonly instead: string;
  /** Where that may stand: `spec.schedule` of `batch/v1` takes no `H`. */
  readonly fields: readonly string[];
  /** How many runs start in the busiest minute then. */
  readonly peakStarts: number;
}

/** Fewer than these are no crowd. */
const CROWD = 5;
const MINUTE_MS = 60_000;
const MOST_PIECES = 3;

/** Finds schedules that crowd into the busiest minute, and works out what `H` in place of their minute does to it. */
export function advise(fleet: Fleet, members: readonly Member[], load: Load): Advice[] {
  const { value: peak, at } = load.peakStarts;
  const from = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const parts = new Map<DoneRuns, boolean>();
  const startsIn = (part: DoneRuns) =>
    parts.getOrInsertComputed(part, () => startsWithin(part, { from, to: from + MINUTE_MS }));
  const startsThen = (member: Member) => fleet.simulate(member).runs.parts.some(startsIn);
  const crowds = Map.groupBy(members.filter(startsThen), ({ cronJob }) => cronJob.settings.schedule);
  return [...crowds].filter(([, crowd]) => crowd.length >= Math.max(CROWD, peak / 10))
    .sort(([, a], [, b]) => b.length - a.length).flatMap(([schedule, crowd]) => {
      const instead = withHash(schedule);
      if (instead === undefined || crowd.some(({ cronJob }) => cronJob.settings.schedules.length > 1)) return [];
      const others = new Set(crowd);
      const spread = [
        ...members.filter((member) => !others.has(member)),
        ...crowd.map((one) => spreadOut(one, instead)),
      ];
      const fields = [...new Set(crowd.map(fieldOf))];
      return [{ schedule, count: crowd.length, instead, fields, peakStarts: fleet.loadOf(spread).peakStarts.value }];
    }).filter(({ peakStarts }) => peakStarts < peak).slice(0, MOST_PIECES);
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

/** Returns the same schedule with `H` for its minute; undefined where that would not be the same often. */
function withHash(schedule: string): string | undefined {
  const [minute = "", ...others] = schedule.trim().split(/\s+/);
  if (others.length === 0) return DESCRIPTORS[minute];
  if (others.length !== 4) return undefined;
  const hashed = /^\d+$/.test(minute) ? "H" : /^(?:\*|0)\/\d+$/.test(minute) ? `H/${minute.split("/")[1]}` : undefined;
  return hashed === undefined ? undefined : [hashed, ...others].join(" ");
}

function spreadOut(member: Member, schedule: string): Member {
  const { flavour, object } = member.cronJob;
  const said: object = flavour.extrasIn === "spec"
    ? { spec: { ...object.spec, schedule } }
    : { metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [SCHEDULE]: schedule } } };
  return { ...member, cronJob: readCronJob(flavour, { ...object, ...said } as CronJobObject) };
}
