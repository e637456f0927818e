import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { Backfill, BackfillRange } from "../api/backfill.ts";
import type { CronJob, FollowedSchedule } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import { backfillJobName, scheduledJobName } from "../api/job_name.ts";
import type { RunRecord } from "../api/types.ts";
import type { StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { spreadOffsetMs } from "./spread.ts";

/** The plan of a back-fill for one scheduled time. */
export type SlotPlan =
  | { readonly kind: "start"; readonly scheduledTime: EpochMs; readonly outcome: SlotOutcome; readonly jobName: string }
  | { readonly kind: "skip"; readonly scheduledTime: EpochMs; readonly outcome: SlotOutcome }
  /** No name is left for its Job. */
  | { readonly kind: "gone"; readonly scheduledTime: EpochMs };

/** The known outcome of a scheduled time's runs; `missing` where it had none. */
export type SlotOutcome = "missing" | "active" | "succeeded" | "failed";

/** The runs before a back-fill. */
export interface KnownRuns {
  /** By the name of the Job. */
  readonly byName: ReadonlyMap<string, Child>;
  /** Runs of the past, by scheduled time. */
  readonly past: ReadonlyMap<EpochMs, readonly Child[]>;
  /** The records of runs whose Jobs may be gone. */
  readonly recentRuns: readonly Readonly<RunRecord>[];
  readonly takenNames: ReadonlySet<string>;
}

/** Returns the schedule as it stands, also before it held: a grid of `@every` goes on backwards. */
export function pastSchedule(
  { withEach }: FollowedSchedule,
  { parts, pastAnchor }: StartPoint,
  from: EpochMs,
): Schedule {
  return withEach((schedule, i) => {
    const anchor = parts.length > 1 ? parts[i]!.since : pastAnchor;
    const { everyMs } = schedule;
    if (everyMs === undefined) return schedule;
    return schedule.anchoredAt(anchor - Math.max(0, Math.ceil((anchor - from) / everyMs) + 1) * everyMs);
  });
}

/** Returns the last instant of a back-fill: later times are out of the range, or were still to come when it began. */
export function lastInstant(cronJob: CronJob, { to }: Backfill, startedAt: EpochMs): EpochMs {
  return Math.min(to - 1, startedAt - spreadOffsetMs(cronJob));
}

/** Yields the scheduled times of a back-fill after the cursor, in its order. */
export function* slotsOf(
  schedule: Schedule,
  { from, reverse }: BackfillRange,
  { until, cursor }: { until: EpochMs; cursor?: EpochMs | undefined },
): Generator<EpochMs> {
  if (!reverse) return yield* schedule.between(Math.max(from - 1, cursor ?? -Infinity), until);
  for (let time = schedule.previous(Math.min(until + 1, cursor ?? Infinity)); time !== undefined && time >= from;) {
    yield time;
    time = schedule.previous(time);
  }
}

/** Returns the runs that are known before a decision. */
export function knownRuns({ cronJob, facts }: DecisionInput, children: readonly Child[]): KnownRuns {
  return {
    byName: new Map(children.map((child) => [child.metadata.name, child])),
    past: Map.groupBy(children.filter(({ backfill }) => backfill), ({ backfill }) => backfill!.scheduledTime),
    recentRuns: [...cronJob.status.recentRuns ?? [], ...cronJob.recordedFailedRuns],
    takenNames: facts?.takenNames ?? new Set(),
  };
}

/** Decides about one scheduled time, by what is known of its runs. */
export function planSlot(
  { metadata, flavour }: CronJob,
  { id, reprocess }: Backfill,
  scheduledTime: EpochMs,
  { byName, past, recentRuns, takenNames }: KnownRuns,
): SlotPlan {
  // Times that share a Job's name share the Job.
  const ownName = scheduledJobName(metadata.name, flavour, scheduledTime);
  const again = backfillJobName(metadata, flavour, { id, scheduledTime });
  const own = byName.get(ownName);
  const outcome = outcomeOf([...own ? [own] : [], ...past.get(scheduledTime) ?? []]) ??
    recordedOutcome(recentRuns, scheduledTime);
  const isWanted = outcome === "missing" || (outcome === "failed" && reprocess !== "missing") ||
    (outcome === "succeeded" && reprocess === "all");
  if (!isWanted) return { kind: "skip", scheduledTime, outcome };
  const jobName = [ownName, again].find((name) => !byName.has(name) && !takenNames.has(name));
  return jobName === undefined ? { kind: "gone", scheduledTime } : { kind: "start", scheduledTime, outcome, jobName };
}

function outcomeOf(runs: readonly Child[]): SlotOutcome | undefined {
  const states = runs.map(({ state }) => state);
  return (["active", "succeeded", "failed"] as const).find((state) => states.includes(state));
}

function recordedOutcome(recentRuns: KnownRuns["recentRuns"], scheduledTime: EpochMs): SlotOutcome {
  const record = recentRuns.find((run) => parseTime(run.scheduledTime) === scheduledTime);
  switch (record?.outcome) {
    case "Succeeded":
      return "succeeded";
    // The run did not succeed, as far as is known.
    case "Failed":
    case "Deleted":
    case "Running":
      return "failed";
    default:
      return "missing";
  }
}
