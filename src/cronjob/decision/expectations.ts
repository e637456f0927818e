import { earliest, type EpochMs, latest } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import { matchesShellPattern } from "../../base/shell_pattern.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { latestTime } from "../../schedule/latest_time.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { type Child, hasCome } from "../api/job.ts";
import type { ExpectSpec } from "../api/spec_fields.ts";
import { zoneOf } from "../api/zone.ts";
import type { Breach, DueTimes, ExpectationFindings, Findings } from "./findings.ts";
import type { DecisionInput, PodEnds } from "./input.ts";
import { restedUntil } from "./start_point.ts";

/** The number of characters of a termination message that are shown. */
const SHOWN = 100;

/** The most urgent first. */
export const BREACHES = ["Late", "Slow", "Stale", "Suspicious"] as const satisfies readonly Breach["kind"][];

const NONE: ExpectationFindings = { breaches: [], nextAt: undefined, unread: [] };

/** A run of the schedule that has not started, or whose Job is there, or gone. */
interface Run {
  readonly time: EpochMs;
  readonly job: Child | "none" | "gone";
}

type Found = Pick<ExpectationFindings, "breaches" | "nextAt">;

/** The verdict on one run: `by` is the instant from which on it is certain that the run does not meet an expectation. */
type Verdict = { readonly isMet: true } | { readonly by: EpochMs; readonly message: string } | undefined;

interface Judge {
  readonly expect: DeepReadonly<ExpectSpec>;
  readonly now: EpochMs;
  readonly offsetMs: number;
  /** Since when the schedule has been followed without a break: nothing is expected of the time before. */
  readonly begin: EpochMs;
  readonly zone: string;
  /** The times of the day by which runs finish. */
  readonly deadlines: Schedule | undefined;
  /** When runs succeeded, by hand too. */
  readonly successes: readonly EpochMs[];
  readonly ends: PodEnds | undefined;
}

/** Judges the newest runs by the expectations of the spec. A spec without any costs nothing. */
export function judgeExpectations(
  input: DecisionInput,
  children: readonly Child[],
  { start, due, block, failures }: Pick<Findings, "start" | "due" | "block" | "failures">,
): ExpectationFindings {
  const { cronJob, now } = input;
  const { expect } = cronJob.settings;
  if (!expect || !cronJob.stewardship.keepsStatus || cronJob.schedule.kind === "problem") return NONE;
  const succeeded = children.filter(({ state }) => state === "succeeded");
  const judge: Judge = {
    expect,
    now,
    offsetMs: due.offsetMs,
    begin: Math.max(start.floor, restedUntil({ input, failures })),
    zone: zoneOf(cronJob),
    deadlines: cronJob.finishTimes,
    successes: [cronJob.recorded.lastSuccessfulTime, ...succeeded.map(({ endTime }) => endTime)]
      .filter((time) => time !== undefined),
    ends: input.ends,
  };
  const runs = [
    ...unstarted(due, judge),
    ...unbroken(startedRuns(children, start.lastScheduleTime, now), due.schedule),
  ];
  const retryAt = (input.ends?.retryAt ?? -Infinity) > now ? input.ends?.retryAt : undefined;
  const unread = expect.messagePattern === undefined || !input.ends ? [] : unreadOf(runs, input.ends);
  const lastSuccess = latest(judge.begin, ...judge.successes.filter((success) => hasCome(success, now)))!;
  const found = [
    ...RULES.map((rule) => newestVerdict(rule, runs, judge)),
    ...block && !block.isFault ? [] : [newestVerdict(["Stale", stale], [{ time: lastSuccess, job: "gone" }], judge)],
  ];
  return {
    breaches: found.flatMap(({ breaches }) => breaches),
    nextAt: earliest(...found.map(({ nextAt }) => nextAt), ...unread.length > 0 ? [retryAt] : []),
    unread: retryAt === undefined ? unread : [],
  };
}

/** Returns the newest run that succeeded, unless its Pods were read; older runs are not read. */
function unreadOf(runs: readonly Run[], { known }: PodEnds): readonly Child[] {
  const newest = runs.map(({ job }) => job).filter((job) => typeof job === "object")
    .find(({ state }) => state === "succeeded");
  return newest && !known.has(newest.metadata.uid) ? [newest] : [];
}

type Rule = readonly [Breach["kind"], (run: Run, judge: Judge) => Verdict];

const RULES: readonly Rule[] = [
  ["Late", late],
  ["Slow", slow],
  ["Suspicious", suspicious],
];

/** Returns the verdict on the newest run that has one, and when the next of a newer run may come. */
function newestVerdict([kind, rule]: Rule, runs: readonly Run[], judge: Judge): Found {
  let nextAt: EpochMs | undefined;
  for (const run of runs) {
    const verdict = rule(run, judge);
    if (!verdict) continue;
    if ("isMet" in verdict) return { breaches: [], nextAt };
    const { by: since, message } = verdict;
    const job = typeof run.job === "object" && { job: run.job.metadata.name };
    if (since <= judge.now) return { breaches: [{ kind, time: run.time, since, message, ...job }], nextAt };
    nextAt = earliest(nextAt, since);
  }
  return { breaches: [], nextAt };
}

/** Returns runs that have not started, newest first: the newest, the newest that is late, the next after it, the newest that is slow. */
function unstarted({ schedule, start }: DueTimes, { expect, now, offsetMs, deadlines }: Judge): Run[] {
  if (!schedule) return [];
  const [{ after }] = start.open;
  const newest = latestTime(schedule, after, now - offsetMs);
  if (newest === undefined) return [];
  const until = now - offsetMs - (expect.startWithinSeconds ?? Infinity) * 1000;
  const ends = [until, (deadlines?.previous(now + 1) ?? -Infinity) - 1].filter((end) => end > after);
  const overdue = ends.map((end) => latestTime(schedule, after, end));
  const next = schedule.next(Math.max(after, until)) ?? newest;
  return [...new Set([newest, next, ...overdue])].filter((time) => time !== undefined && time <= newest)
    .sort((a, b) => b! - a!).map((time) => ({ time: time!, job: "none" }));
}

/** Returns the runs whose Jobs are there, and the last one even if its Job is gone, newest first. */
function startedRuns(children: readonly Child[], last: EpochMs | undefined, now: EpochMs): Run[] {
  const runs: Run[] = children
    .flatMap((job) => job.scheduledTime === undefined ? [] : [{ time: job.scheduledTime, job }]);
  const isThere = last === undefined || runs.some(({ time }) => time === last);
  return [...runs, ...isThere ? [] : [{ time: last, job: "gone" as const }]]
    .filter(({ time }) => hasCome(time, now))
    .sort((a, b) => b.time - a.time);
}

/** Returns the newest runs, up to the first between which a scheduled time has no run: an older breach never comes back. */
function unbroken(runs: readonly Run[], schedule: Schedule | undefined): readonly Run[] {
  const last = runs.findIndex(({ time }, i) => i + 1 < runs.length && schedule?.previous(time) !== runs[i + 1]!.time);
  return schedule && last >= 0 ? runs.slice(0, last + 1) : runs;
}

function late({ time, job }: Run, { expect: { startWithinSeconds }, offsetMs, begin, zone }: Judge): Verdict {
  if (startWithinSeconds === undefined || job === "gone") return undefined;
  const by = Math.max(time + offsetMs, begin) + startWithinSeconds * 1000;
  const { startTime: startedAt, state } = job === "none" ? { startTime: undefined, state: "active" } : job;
  if (startedAt === undefined && state !== "active") return undefined;
  if (startedAt !== undefined && startedAt <= by) return { isMet: true };
  const when = startedAt === undefined ? "has not started" : `started at ${fullTime(startedAt, zone)}`;
  return { by, message: `The run of ${fullTime(time, zone)} ${when}; startWithinSeconds is ${startWithinSeconds}` };
}

function slow({ time, job }: Run, { deadlines, successes, zone, expect, begin }: Judge): Verdict {
  const by = deadlines?.next(Math.max(time, begin));
  if (by === undefined) return undefined;
  if (successes.some((end) => end > time && end <= by)) return { isMet: true };
  // Of a run whose Job is gone, the record of a later success may have taken the place of its own.
  if (job === "gone" && successes.some((end) => end > by)) return { isMet: true };
  const until = `${fullTime(by, zone)}; finishBy is ${expect.finishBy}`;
  return { by, message: `The run of ${fullTime(time, zone)} had not succeeded by ${until}` };
}

function suspicious({ job }: Run, { expect: { minimumDurationSeconds, messagePattern }, ends }: Judge): Verdict {
  if (minimumDurationSeconds === undefined && messagePattern === undefined) return undefined;
  if (typeof job !== "object" || job.state !== "succeeded") return undefined;
  const { startTime, endTime: by, metadata: { name, uid } } = job;
  if (startTime === undefined || by === undefined) return undefined;
  const seconds = (by - startTime) / 1000;
  if (seconds < (minimumDurationSeconds ?? 0)) {
    return { by, message: `${name} succeeded after ${seconds} s; minimumDurationSeconds is ${minimumDurationSeconds}` };
  }
  if (messagePattern === undefined) return { isMet: true };
  const { container, message: whole = "" } = ends?.known.get(uid) ?? {};
  // Without a container its Pods were gone before they could be read.
  if (container === undefined) return undefined;
  const message = whole.trimEnd();
  if (matchesShellPattern(message, messagePattern)) return { isMet: true };
  const said = message === "" ? "without a termination message" : `and said ${JSON.stringify(message.slice(0, SHOWN))}`;
  return { by, message: `${name} succeeded ${said}; messagePattern is ${JSON.stringify(messagePattern)}` };
}

/** Judges by the time of the last success, or else the begin of the schedule, which `run` stands for. */
function stale({ time }: Run, { expect: { succeededWithinSeconds: seconds }, zone }: Judge): Verdict {
  if (seconds === undefined) return undefined;
  const message = `No run has succeeded since ${fullTime(time, zone)}; succeededWithinSeconds is ${seconds}`;
  return { by: time + seconds * 1000, message };
}
