import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { UnionSchedule } from "../../schedule/union_schedule.ts";
import type { Backfill, BackfillJob, BackfillProgress } from "../api/backfill.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import { backfillJobName, scheduledJobName } from "../api/job_name.ts";
import { partOf } from "../api/schedule_reading.ts";
import type { RunRecord } from "../api/types.ts";
import { backfillEnded, backfillStarted, specProblem } from "../status/events.ts";
import type { BackfillFindings, Block, DueTimes, StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import type { BackfillRun } from "./run_request.ts";
import { spreadOffsetMs } from "./spread.ts";

/** What a back-fill does about one scheduled time. */
export type SlotPlan =
  | { readonly kind: "start"; readonly scheduledTime: EpochMs; readonly jobName: string }
  | { readonly kind: "skip"; readonly scheduledTime: EpochMs; readonly outcome: SlotOutcome };

/** What is known of a scheduled time: how its last run ended, or that there is none. */
export type SlotOutcome = "missing" | "active" | "succeeded" | "failed";

/** What there was of runs before a back-fill. */
export interface KnownRuns {
  readonly children: readonly Child[];
  /** Of runs whose Jobs may be gone. */
  readonly recentRuns: readonly Readonly<RunRecord>[];
}

/** So many scheduled times are looked at in one decision. */
const SLOTS_AT_A_TIME = 500;

/**
 * Goes on with a back-fill: counts the Jobs that have ended, and finds the next run to start. Its runs count for nothing else,
 * and wait for what the schedule itself has to start. What was started or passed over lies up to the recorded cursor, and is
 * never looked at again.
 */
export function findBackfill(
  input: DecisionInput,
  { children, due, block }: { children: readonly Child[]; due: DueTimes; block: Block | undefined },
): BackfillFindings {
  const { cronJob } = input;
  const { backfill: reading, recordedBackfill: before, metadata: { generation } } = cronJob;
  const problems = reading.kind === "problem" ? [specProblem("InvalidBackfill", reading.message, generation)] : [];
  const ended = reading.kind !== "backfill" || before?.id !== reading.backfill.id
    ? cancelled(input, before)
    : undefined;
  const events = [...problems, ...ended ? [backfillEnded(ended)] : []];
  const nothing = { ...NOTHING, events };
  if (reading.kind !== "backfill") return { ...nothing, progress: ended ?? before };
  const { backfill } = reading;
  const known = before?.id === backfill.id ? before : undefined;
  if (known && known.state !== "Running") return { ...nothing, progress: known };
  if (block?.isTotal || cronJob.schedule.kind === "problem") return { ...nothing, progress: known ?? before };
  const work = new BackfillWork(input, {
    backfill,
    schedule: pastSchedule(cronJob, due.start, backfill.from),
    children,
    before: known,
    holdFrom: due.due,
  });
  const found = work.goOn();
  return { ...found, events: [...events, ...found.events] };
}

/** The schedule as it stands, also before it held: a grid of `@every` goes on backwards. */
export function pastSchedule({ settings }: CronJob, { parts, recordedAnchor }: StartPoint, from: EpochMs): Schedule {
  const several = settings.schedules.length > 1;
  const past = settings.schedules.map((entry, i) => {
    const schedule = partOf(settings, entry);
    const anchor = several ? parts[i].since : recordedAnchor;
    const { everyMs } = schedule;
    if (everyMs === undefined) return schedule;
    return schedule.anchoredAt(anchor - Math.max(0, Math.ceil((anchor - from) / everyMs) + 1) * everyMs);
  });
  return several ? new UnionSchedule(past) : past[0];
}

/** What is left of one that nobody asks for any more: its Jobs go on, and are no longer counted. */
function cancelled({ now }: DecisionInput, before: BackfillProgress | undefined): BackfillProgress | undefined {
  if (before?.state !== "Running") return undefined;
  return { ...before, state: "Cancelled", endedAt: now, active: [], message: "The request was taken away" };
}

class BackfillWork {
  readonly #input: DecisionInput;
  readonly #backfill: Backfill;
  readonly #schedule: Schedule;
  readonly #children: readonly Child[];
  readonly #before: BackfillProgress | undefined;
  /** What the schedule itself is to start: it goes first. */
  readonly #holdFrom: EpochMs;

  constructor(
    input: DecisionInput,
    { backfill, schedule, children, before, holdFrom = Infinity }: {
      backfill: Backfill;
      schedule: Schedule;
      children: readonly Child[];
      before: BackfillProgress | undefined;
      holdFrom: EpochMs | undefined;
    },
  ) {
    this.#input = input;
    this.#backfill = backfill;
    this.#schedule = schedule;
    this.#children = children;
    this.#before = before;
    this.#holdFrom = holdFrom;
  }

  goOn(): BackfillFindings {
    const { cronJob } = this.#input;
    const { id, maxActive } = this.#backfill;
    const before = this.#before;
    // What it is about must not depend on when its first run starts.
    if (!before) return this.#begin();
    const { active, counts } = this.#countEnded(before);
    let { cursor } = before;
    let looked = 0;
    const until = lastInstant(cronJob, this.#backfill, before.startedAt);
    const found = (more: Partial<BackfillFindings>, message?: string): BackfillFindings => ({
      ...NOTHING,
      ...more,
      progress: { ...before, cursor, active, counts, message },
    });
    for (const scheduledTime of slotsOf(this.#schedule, this.#backfill, { until, cursor })) {
      if (++looked > SLOTS_AT_A_TIME) return found({ goesOn: true });
      const own = this.#startedHere(scheduledTime);
      const plan = planSlot(cronJob, this.#backfill, scheduledTime, this.#known);
      if (own) {
        if (own.state === "active") active.push(jobOf(own));
        else counts[own.state]++;
      } else if (active.length >= maxActive || scheduledTime >= this.#holdFrom) return found({});
      else if (plan.kind === "skip") counts.skipped++;
      else if (this.#input.facts?.backfilled?.has(`${id}/${plan.jobName}`)) counts.gone++;
      else {
        const run: BackfillRun = { trigger: "Backfill", id, scheduledTime, jobName: plan.jobName };
        const message = this.#refusalOf(plan.jobName);
        return message === undefined ? found({ request: run }) : found({ refused: run }, message);
      }
      cursor = scheduledTime;
    }
    return active.length > 0 ? found({}) : this.#ended({ ...before, cursor, active, counts }, "Completed");
  }

  #begin(): BackfillFindings {
    const { cronJob, now } = this.#input;
    const { id, from, maxSlots } = this.#backfill;
    const slots = this.#schedule.count(from - 1, lastInstant(cronJob, this.#backfill, now));
    const progress = { ...NEW, id, startedAt: now, slots };
    if (slots === 0) return this.#ended(progress, "Completed");
    if (slots <= maxSlots) return { ...NOTHING, progress, goesOn: true, events: [backfillStarted(id, slots)] };
    return this.#ended(
      progress,
      "Refused",
      `There are ${slots} scheduled times, more than maxSlots allows: ${maxSlots}`,
    );
  }

  #ended(progress: BackfillProgress, state: "Completed" | "Refused", message?: string): BackfillFindings {
    const ended = { ...progress, state, endedAt: this.#input.now, message };
    return { ...NOTHING, progress: ended, events: [backfillEnded(ended)] };
  }

  get #known(): KnownRuns {
    return { children: this.#children, recentRuns: this.#input.cronJob.status.recentRuns ?? [] };
  }

  /** Moves the Jobs that have ended from the list of active ones to the counts, both of which are written at once. */
  #countEnded(before: BackfillProgress) {
    const counts = { ...before.counts };
    const active: BackfillJob[] = [];
    for (const job of before.active) {
      const child = this.#children.find(({ metadata }) => metadata.uid === job.uid);
      if (!child) counts.gone++;
      else if (child.state === "active") active.push(job);
      else counts[child.state]++;
    }
    return { active, counts };
  }

  /** Its Job, where one was made after the last record. */
  #startedHere(scheduledTime: EpochMs): Child | undefined {
    const { id } = this.#backfill;
    return this.#children.find(({ backfill }) => backfill?.id === id && backfill.scheduledTime === scheduledTime);
  }

  #refusalOf(jobName: string): string | undefined {
    const { refusals } = this.#input;
    return (refusals?.get(jobName) ?? refusals?.values().find(({ isUncertain }) => isUncertain))?.message;
  }
}

const NOTHING: BackfillFindings = {
  progress: undefined,
  request: undefined,
  refused: undefined,
  goesOn: false,
  events: [],
};

const NEW: Omit<BackfillProgress, "id" | "startedAt" | "slots"> = {
  state: "Running",
  endedAt: undefined,
  cursor: undefined,
  active: [],
  counts: { succeeded: 0, failed: 0, gone: 0, skipped: 0 },
  message: undefined,
};

/** Scheduled times after it are the schedule's own business, or out of the range. */
export function lastInstant(cronJob: CronJob, { to }: Backfill, startedAt: EpochMs): EpochMs {
  return Math.min(to - 1, startedAt - spreadOffsetMs(cronJob));
}

/** The scheduled times of a back-fill in its order, those after the cursor. */
export function* slotsOf(
  schedule: Schedule,
  { from, reverse }: Backfill,
  { until, cursor }: { until: EpochMs; cursor?: EpochMs },
): Generator<EpochMs> {
  if (reverse) {
    for (let time = schedule.previous(cursor ?? until + 1); time !== undefined && time >= from;) {
      yield time;
      time = schedule.previous(time);
    }
  } else yield* schedule.between(cursor ?? from - 1, until);
}

/** Decides about one scheduled time, by what is known of its runs. */
export function planSlot(
  { metadata, flavour }: CronJob,
  { id, reprocess }: Backfill,
  scheduledTime: EpochMs,
  { children, recentRuns }: KnownRuns,
): SlotPlan {
  const ownName = scheduledJobName(metadata.name, flavour, scheduledTime);
  const again = backfillJobName(metadata, flavour, { id, scheduledTime });
  const runs = children.filter((child) =>
    // Times that share a Job's name share the Job.
    child.metadata.name === ownName || child.backfill?.scheduledTime === scheduledTime
  );
  const outcome = outcomeOf(runs) ?? recordedOutcome(recentRuns, scheduledTime);
  const isWanted = outcome === "missing" || (outcome === "failed" && reprocess !== "missing") ||
    (outcome === "succeeded" && reprocess === "all");
  if (!isWanted) return { kind: "skip", scheduledTime, outcome };
  const isFree = !children.some((child) => child.metadata.name === ownName);
  return { kind: "start", scheduledTime, jobName: isFree ? ownName : again };
}

function outcomeOf(runs: readonly Child[]): SlotOutcome | undefined {
  const states = runs.map(({ state }) => state);
  return (["active", "succeeded", "failed"] as const).find((state) => states.includes(state));
}

function recordedOutcome(recentRuns: KnownRuns["recentRuns"], scheduledTime: EpochMs): SlotOutcome {
  const record = recentRuns.find((run) => parseTime(run.scheduledTime) === scheduledTime);
  if (record?.outcome === "Succeeded") return "succeeded";
  return record?.outcome === "Failed" ? "failed" : "missing";
}

function jobOf({ metadata: { name, uid }, backfill }: Child): BackfillJob {
  return { scheduledTime: backfill!.scheduledTime, name, uid };
}

/** Whether a back-fill still has to count a Job: it must not be cleaned up before that is recorded. */
export function isUncounted({ backfill, metadata }: Child, progress: BackfillProgress | undefined): boolean {
  if (!backfill || progress?.state !== "Running" || progress.id !== backfill.id) return false;
  return progress.active.some(({ uid }) => uid === metadata.uid);
}
