// Random timelines of CronJobs with expectations, with times at which no controller runs, and a judge that knows each timeline
// as a whole and finds local times by looking at every minute.
import * as fc from "fast-check";
import { PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import type { ExpectSpec } from "../../../src/cronjob/api/spec_fields.ts";
import { find, nextInstant } from "../../../src/cronjob/decision/find.ts";
import { at, clockOf, type JobGiven, world } from "./world.ts";

const HOUR = 3_600_000;

/** The UID of the CronJob of each timeline. */
export const TIMELINE_UID = "uid-1";

interface Run {
  readonly time: number;
  /** Undefined where no Job was created. */
  readonly job?: { readonly startTime: number; readonly endTime: number; readonly state: "succeeded" | "failed" };
}

export interface Timeline {
  readonly zone: string;
  readonly begin: number;
  readonly end: number;
  readonly schedule: string;
  readonly expect: ExpectSpec;
  readonly runs: readonly Run[];
  /** Spans without a controller. */
  readonly kills: readonly (readonly [from: number, to: number])[];
}

export interface Breach {
  readonly id: string;
  readonly since: number;
}

const clocks = new Map<string, readonly (readonly [time: number, clock: string])[]>();

/** Each minute of a span, with the local time that it has. */
function minutesOf({ zone, begin, end }: Pick<Timeline, "zone" | "begin" | "end">) {
  const key = `${zone} ${begin} ${end}`;
  const known = clocks.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  const minutes: [number, string][] = [];
  // All zones here differ from UTC by quarters of an hour.
  for (let quarter = begin; quarter < end; quarter += 15 * 60_000) {
    const [hour, minute] = format.format(quarter).split(":");
    for (let i = 0; i < 15; i++) minutes.push([quarter + i * 60_000, `${hour}:${pad(Number(minute) + i)}`]);
  }
  minutes.shift();
  clocks.set(key, minutes);
  return minutes;
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

const clockTime = fc.record({ hour: fc.integer({ min: 4, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) });

export function timelines(
  chances: { days: number; none: number; slowStart: number; failed: number; expect: fc.Arbitrary<ExpectSpec> },
) {
  const { days } = chances;
  return fc.record({
    zone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
    day: fc.constantFrom("03-07", "03-28", "04-04", "06-15", "10-24", "10-31"),
    hours: fc.uniqueArray(fc.integer({ min: 4, max: 23 }), { minLength: 1, maxLength: 3 }),
    minute: fc.integer({ min: 0, max: 59 }),
    expect: chances.expect,
    kills: fc.array(fc.tuple(fc.integer({ min: 0, max: 96 * 60 }), fc.integer({ min: 1, max: 600 })), { maxLength: 6 }),
    fates: fc.infiniteStream(fc.record({
      none: fc.integer({ min: 0, max: 99 }),
      startSeconds: fc.integer({ min: 1, max: 2400 }),
      slowStart: fc.integer({ min: 0, max: 99 }),
      seconds: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 200, max: 1000 })),
      failed: fc.integer({ min: 0, max: 99 }),
    })),
  }).map(({ zone, day, hours, minute, expect, kills, fates }): Timeline => {
    const begin = at(`${day} 00:00`);
    const span = { zone, begin, end: begin + days * 24 * HOUR };
    const wanted = new Set(hours.map((hour) => `${pad(hour)}:${pad(minute)}`));
    const runs = minutesOf(span).filter(([, clock]) => wanted.has(clock)).map(([time]): Run => {
      const { value: fate } = fates.next();
      if (fate.none < chances.none) return { time };
      const startTime = time + (fate.slowStart < chances.slowStart ? fate.startSeconds * 1000 : 0);
      const state = fate.failed < chances.failed ? "failed" : "succeeded";
      return { time, job: { startTime, endTime: startTime + fate.seconds * 1000, state } };
    });
    return {
      ...span,
      schedule: `${minute} ${hours.join(",")} * * *`,
      expect,
      runs,
      kills: kills.map(([from, minutes]) => [begin + from * 60_000, begin + (from + minutes) * 60_000]),
    };
  });
}

/** All breaches of a timeline, as one sees them who knows how it goes on. */
export function judge({ begin, end, expect, runs, ...timeline }: Timeline): Breach[] {
  const breaches: Breach[] = [];
  const add = (kind: string, time: number, since: number) =>
    since < end && breaches.push({ id: `${kind} ${clockOf(time)}`, since });
  const successes = runs.flatMap(({ job }) => job?.state === "succeeded" ? [job.endTime] : []);
  const { startWithinSeconds, finishBy, minimumDurationSeconds, succeededWithinSeconds } = expect;
  if (startWithinSeconds !== undefined) {
    for (const { time, job } of runs) {
      const by = time + startWithinSeconds * 1000;
      if (!job || job.startTime > by) add("Late", time, by);
    }
  }
  if (finishBy !== undefined) {
    const deadlines = minutesOf({ ...timeline, begin, end }).filter(([, clock]) => clock === finishBy);
    let previous = begin;
    for (const [deadline] of deadlines) {
      const newest = runs.findLast(({ time }) => time < deadline && time >= previous);
      previous = deadline;
      if (!newest || successes.some((success) => success > newest.time && success <= deadline)) continue;
      add("Slow", newest.time, deadline);
    }
  }
  if (minimumDurationSeconds !== undefined) {
    for (const { time, job } of runs) {
      if (job?.state !== "succeeded" || job.endTime - job.startTime >= minimumDurationSeconds * 1000) continue;
      add("Suspicious", time, job.endTime);
    }
  }
  if (succeededWithinSeconds !== undefined) {
    const points = [begin, ...successes].sort((a, b) => a - b);
    points.forEach((point, i) => {
      const since = point + succeededWithinSeconds * 1000;
      if (since < (points[i + 1] ?? Infinity)) add("Stale", point, since);
    });
  }
  return breaches;
}

/** What a controller sees at a time; its status is of the look before, and so is what it has cleaned up. */
export function seen(
  { begin, schedule, zone, expect, runs }: Timeline,
  now: number,
  recorded: number,
  annotations = {},
) {
  const there = runs.filter(({ time, job }) => job && time <= now);
  const finished = there.filter(({ job }) => job!.endTime <= recorded);
  const kept = new Set([
    ...finished.filter(({ job }) => job!.state === "succeeded").slice(-3),
    ...finished.filter(({ job }) => job!.state === "failed").slice(-1),
  ]);
  const jobs = there.filter((run) => run.job!.endTime > recorded || kept.has(run)).map(({ time, job }): JobGiven => {
    const { startTime, endTime, state } = job!;
    return {
      time: clockOf(time),
      started: startTime <= now ? clockOf(startTime) : null,
      suspended: startTime > now,
      ...endTime <= now && { state, ended: clockOf(endTime) },
    };
  });
  const last = there.findLast(({ time }) => time <= recorded);
  const succeeded = finished.filter(({ job }) => job!.state === "succeeded").map(({ job }) => job!.endTime);
  return find(world(PRODUCTION, {
    now: clockOf(now),
    created: clockOf(begin),
    schedule,
    annotations,
    uid: TIMELINE_UID,
    spec: { timeZone: zone, expect },
    jobs,
    ...last && { last: clockOf(last.time) },
    ...succeeded.length > 0 &&
      { status: { lastSuccessfulTime: new Date(Math.max(...succeeded)).toISOString().replace(".000", "") } },
  }));
}

/** The first instant from `time` on at which a controller runs. */
function afterKills(time: number, kills: Timeline["kills"]): number {
  const kill = kills.find(([from, to]) => from <= time && time < to);
  return kill ? afterKills(kill[1], kills) : time;
}

/** The looks of controllers at a timeline: where something changes, and where the look before says; later after a kill. */
export function* looks(timeline: Timeline) {
  const { begin, end, runs, kills } = timeline;
  const changes = [
    ...runs.flatMap(({ time, job }) => job ? [time, job.startTime, job.endTime] : []),
    ...kills.map(([, to]) => to),
  ]
    .sort((a, b) => a - b);
  let now = begin;
  let recorded = begin;
  while (now < end) {
    const findings = seen(timeline, now, recorded);
    yield { now, before: recorded, findings };
    recorded = now;
    const change = changes.find((time) => time > now) ?? end;
    const wake = Math.min(change, Math.max(now + 1000, nextInstant(findings) ?? end));
    now = afterKills(wake, kills);
  }
}

/** Any of the expectations. */
export const expectations: fc.Arbitrary<ExpectSpec> = fc.record({
  startWithinSeconds: fc.integer({ min: 30, max: 1800 }),
  finishBy: clockTime.map(({ hour, minute }) => `${pad(hour)}:${pad(minute)}`),
  minimumDurationSeconds: fc.integer({ min: 10, max: 120 }),
  succeededWithinSeconds: fc.integer({ min: 3600, max: 40 * 3600 }),
}, { requiredKeys: [] });
