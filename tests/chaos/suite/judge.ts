import type { AuditEvent } from "../../support/audit.ts";
import { must } from "../../support/expected.ts";
import { slotsOf, waitsInLine } from "./cron_jobs.ts";
import type { Episode, History, SeenCronJob, SeenJob } from "./history.ts";
import { keyOf } from "./history.ts";
import { judgePods } from "./judge_pods.ts";

export type Wrong =
  /** A slot has no Job, and nothing that can be seen says why. */
  | "lost"
  /** A slot has two Jobs. */
  | "doubled"
  /** A Job began beside another that its policy forbids. */
  | "overlapping"
  | "late"
  | "early"
  /** A Job began after its starting deadline. */
  | "past its deadline"
  /** The status counts other runs as missed and skipped than there are. */
  | "miscounted"
  /** A status says less than the one before it. */
  | "taken back"
  /** A CronJob did not go on. */
  | "stuck"
  /** Too many requests while everything failed. */
  | "hot loop"
  | "crashed"
  /** A request went to all objects that was meant for one. */
  | "nameless"
  /** A Job's Pods are not those that it asks for. */
  | "Pods";

export interface Finding {
  readonly wrong: Wrong;
  /** The kind of the fault that it came of, as far as its time shows. */
  readonly episode: Episode | undefined;
  readonly message: string;
}

/** A Job that a controller starts later than this when nothing disturbs it is late. */
const LATE_MS = 5_000;
/** What an answer may take on a busy machine. */
const REACTION_MS = 1_500;
/** A backoff that begins with 20 ms, and doubles, asks for the same six times in the first second, twice each where 401 is answered. */
const MOST_OFTEN_PER_SECOND = 20;

/** Gives a verdict on every slot. Knows nothing of the program but what it promises. */
export function judge(history: History): Finding[] {
  const jobs = Map.groupBy(history.jobs, ({ cronJob }) => cronJob);
  return [
    ...history.cronJobs.flatMap((cronJob) => judgeCronJob(cronJob, jobs.get(keyOf(cronJob.plan)) ?? [], history)),
    ...judgePods(history).map((pods) => finding("Pods", pods.at, history, pods.message)),
    ...history.episodes.flatMap(judgeEpisode),
    ...neighbourRuns(history).flatMap(({ episode, lateMs, message }) =>
      lateMs > LATE_MS ? [{ wrong: "late" as const, episode, message }] : []
    ),
    ...history.nameless.map(({ at, message }) => finding("nameless", at, history, message)),
    ...history.crashes.map(({ at, message }) => finding("crashed", at, history, message)),
  ];
}

/** Returns which requests that change or delete one object named none. */
export function namelessRequests(audited: readonly AuditEvent[]): { at: number; message: string }[] {
  return audited
    .filter(({ verb, objectRef }) => NEED_A_NAME.includes(verb) && !objectRef?.name)
    .map(({ verb, requestURI, requestReceivedTimestamp }) => ({
      at: Date.parse(requestReceivedTimestamp),
      message: `${verb} ${requestURI}`,
    }));
}

const NEED_A_NAME = ["update", "patch", "delete", "deletecollection"];

/** How late each Job of a namespace that no fault was aimed at came while one was aimed at another. */
export function latenessOfNeighbours(history: History): number[] {
  return neighbourRuns(history).map(({ lateMs }) => lateMs);
}

function neighbourRuns({ episodes, jobs, cronJobs }: History) {
  const plans = new Map(cronJobs.map(({ plan }) => [keyOf(plan), plan]));
  return episodes.flatMap((episode) => {
    const { aimedAt, from, to } = episode;
    if (aimedAt === undefined) return [];
    const those = jobs.filter(({ cronJob, slot }) => {
      const plan = plans.get(cronJob);
      // Others wait for Jobs of their own.
      const startsAtOnce = plan && plan.spec.concurrencyPolicy === undefined;
      return startsAtOnce && plan.namespace !== aimedAt && slot >= from && slot < to;
    });
    return those.map(({ cronJob, name, seenAt, slot }) => {
      const lateMs = seenAt - slot;
      return { episode, lateMs, message: `${cronJob}: ${name} began ${lateMs} ms after its time, beside ${aimedAt}` };
    });
  });
}

function judgeCronJob(cronJob: SeenCronJob, jobs: readonly SeenJob[], history: History): Finding[] {
  return [
    ...doubled(cronJob, jobs, history),
    ...lost(cronJob, jobs, history),
    ...overlapping(cronJob, jobs, history),
    ...untimely(cronJob, jobs, history),
    ...miscounted(cronJob, jobs, history),
    ...takenBack(cronJob, history),
  ];
}

function doubled(cronJob: SeenCronJob, jobs: readonly SeenJob[], history: History): Finding[] {
  return slotsWithTwo(cronJob, jobs, history).filter(({ isDocumented }) => !isDocumented).map(({ slot, jobs }) => {
    const names = jobs.map(({ name, createdVersion }) => `${name} at version ${createdVersion}`);
    const message = `${must(jobs[0]).cronJob}: ${inWords(slot)} has ${names.join(" and ")}`;
    return finding("doubled", slot, history, message);
  });
}

/** Returns how many slots ran twice in a way that the documentation says of CronJobs without `neverTwice`. */
export function doubledAsDocumented(history: History): number {
  const jobs = Map.groupBy(history.jobs, ({ cronJob }) => cronJob);
  const all = history.cronJobs.flatMap((cronJob) =>
    slotsWithTwo(cronJob, jobs.get(keyOf(cronJob.plan)) ?? [], history)
  );
  return all.filter(({ isDocumented }) => isDocumented).length;
}

function slotsWithTwo({ plan }: SeenCronJob, jobs: readonly SeenJob[], { episodes }: History) {
  const mayComeAgain = !plan.neverTwice &&
    episodes.some(({ exceptions }) =>
      exceptions.includes("again") || (plan.end.by === "deletion" && exceptions.includes("deleted"))
    );
  const real = Map.groupBy(jobs.filter(({ isUndone }) => !isUndone), ({ slot }) => slot);
  return [...real].filter(([, those]) => those.length > 1).map(([slot, those]) => {
    // Of one name there are two only if the first was gone.
    const isOneName = new Set(those.map(({ name }) => name)).size === 1;
    return { slot, jobs: those, isDocumented: mayComeAgain && isOneName };
  });
}

function lost(cronJob: SeenCronJob, jobs: readonly SeenJob[], history: History): Finding[] {
  return absentSlots(cronJob, jobs, history.until)
    .filter((slot) => slot >= history.from && !mayBeAbsent(slot, cronJob, jobs, history))
    .map((slot) => {
      const reason = cronJob.refused.get(slot);
      const message = `${keyOf(cronJob.plan)}: ${inWords(slot)} has no Job${reason ? `, wrongly "${reason}"` : ""}`;
      return finding("lost", slot, history, message);
    });
}

function mayBeAbsent(slot: number, cronJob: SeenCronJob, jobs: readonly SeenJob[], history: History): boolean {
  const { plan: { spec }, refused } = cronJob;
  const mustCatchUp = spec.catchUp?.policy === "All" && spec.startingDeadlineSeconds === undefined;
  // Others are still before it, on a machine that is slower than the runs come.
  if (mustCatchUp) return waitsInLine(cronJob.statuses.at(-1), slot);
  // What could not be started in time is only counted; as is what another one took the place of.
  if (disturbed(history, slot)) return true;
  if (!/^(Waiting|Skipped): JobAlreadyActive$/.test(refused.get(slot) ?? "")) return refused.has(slot);
  return jobs.some(({ seenAt, endedAt = Infinity }) => seenAt <= slot + REACTION_MS && endedAt >= slot - REACTION_MS);
}

function overlapping({ plan }: SeenCronJob, jobs: readonly SeenJob[], history: History): Finding[] {
  const { concurrencyPolicy: policy = "Allow" } = plan.spec;
  if (policy === "Allow" || history.episodes.some(({ exceptions }) => exceptions.includes("overlap"))) return [];
  const inOrder = jobs.filter(({ isUndone }) => !isUndone).toSorted((a, b) => a.createdVersion - b.createdVersion);
  return inOrder.slice(1).flatMap((job, i) => {
    const before = inOrder.slice(0, i + 1).find(({ endedVersion }) => !(endedVersion! < job.createdVersion));
    if (!before) return [];
    const message = `${keyOf(plan)}: ${job.name} began at version ${job.createdVersion} beside ${before.name}, ` +
      `which ended at ${before.endedVersion}, under ${policy}`;
    return [finding("overlapping", job.seenAt, history, message)];
  });
}

function untimely({ plan, statuses }: SeenCronJob, jobs: readonly SeenJob[], history: History): Finding[] {
  const { startingDeadlineSeconds: deadline, concurrencyPolicy, catchUp } = plan.spec;
  // What waits in line does not become too late.
  const startingDeadlineSeconds = catchUp?.policy === "All" ? undefined : deadline;
  return jobs.flatMap((job) => {
    if (job.slot < history.from || hasNoTime(history, job.seenAt)) return [];
    const startedAt = job.askedAt ?? job.seenAt;
    const lateMs = startedAt - job.slot;
    const say = (
      wrong: Wrong,
      text: string,
    ) => [finding(wrong, job.slot, history, `${keyOf(plan)}: ${job.name} ${text}`)];
    if (lateMs < -REACTION_MS) return say("early", `began ${-lateMs} ms before its time`);
    if (typeof startingDeadlineSeconds === "number" && lateMs > startingDeadlineSeconds * 1_000 + REACTION_MS) {
      return say(
        "past its deadline",
        `began ${lateMs} ms after its time, its deadline is ${startingDeadlineSeconds} s`,
      );
    }
    const isDisturbed = concurrencyPolicy !== undefined || disturbed(history, job.slot) ||
      statuses.some((status) => waitsInLine(status, job.slot));
    return lateMs > LATE_MS && !isDisturbed ? say("late", `began ${lateMs} ms after its time, undisturbed`) : [];
  });
}

/**
 * Missed and skipped runs as a status counts them, against the slots without a Job: up to the newest that it knows of. A
 * former leader's last request may start a slot after a status counts it as missed, which a later status has to put right.
 */
function miscounted(cronJob: SeenCronJob, jobs: readonly SeenJob[], history: History): Finding[] {
  // A Job that was gone before a status could mention it cannot be counted.
  const vanish = cronJob.plan.end.by === "deletion";
  if (vanish || history.episodes.some(({ exceptions }) => exceptions.includes("counts"))) return [];
  let wrong: Finding | undefined;
  for (const status of cronJob.statuses) {
    if (!status.counts) continue;
    const started = Date.parse(status.lastScheduleTime ?? "") || -Infinity;
    const refused = (status.recentRuns ?? []).filter(({ outcome }) => outcome === "Skipped" || outcome === "Missed")
      .map(({ scheduledTime }) => Date.parse(scheduledTime ?? ""));
    // A Job that is newer than the status may have been refused before.
    const told = jobs.filter(({ slot }) => slot <= started);
    // One that waits for another to end is still to come.
    const waits = (status.recentRuns ?? []).filter(({ outcome }) => outcome === "Waiting");
    const waiting = [status.queuedScheduleTime, ...waits.map(({ scheduledTime }) => scheduledTime)]
      .map((time) => Date.parse(time ?? "")).filter((time) => !Number.isNaN(time));
    const isWaiting = (slot: number) => waiting.includes(slot) || waitsInLine(status, slot);
    const decidedUntil = Math.max(started, ...refused, ...waiting);
    const absent = absentSlots(cronJob, told, decidedUntil).filter((slot) => !isWaiting(slot));
    const { missed, skipped } = status.counts;
    if (missed + skipped === absent.length) wrong = undefined;
    // The Jobs that a later one counts may not have been seen by the end.
    else if (decidedUntil <= history.until) {
      const message = `${keyOf(cronJob.plan)}: ${absent.length} slots up to ${inWords(decidedUntil)} have no Job ` +
        `(${absent.slice(-20).map(inWords).join(", ")}), the status ` +
        `counts ${missed} missed and ${skipped} skipped: ${JSON.stringify(status)}`;
      wrong ??= finding("miscounted", decidedUntil, history, message);
    }
  }
  return wrong ? [wrong] : [];
}

/** What a status has said of the newest runs, and of how many succeeded, holds for good. */
function takenBack({ plan, statuses }: SeenCronJob, history: History): Finding[] {
  if (history.episodes.some(({ exceptions }) => exceptions.includes("counts"))) return [];
  const sayings = statuses.map(({ lastScheduleTime, lastSuccessfulTime, counts }) => [
    Date.parse(lastScheduleTime ?? "") || 0,
    Date.parse(lastSuccessfulTime ?? "") || 0,
    counts?.succeeded ?? 0,
  ]);
  return sayings.slice(1).flatMap((saying, i) => {
    const before = must(sayings[i]);
    if (saying.every((value, field) => value >= must(before[field]))) return [];
    return [finding("taken back", Math.max(...before), history, `${keyOf(plan)}: ${before} became ${saying}`)];
  });
}

function judgeEpisode(episode: Episode): Finding[] {
  const found: Finding[] = [];
  if (episode.recoveredAt === undefined) {
    const message = `not gone on after the fault: ${episode.stuck.join(", ")}`;
    found.push({ wrong: "stuck", episode, message });
  }
  if (episode.mostOftenPerSecond > MOST_OFTEN_PER_SECOND) {
    const message = `${episode.mostOftenPerSecond} times within a second: ${episode.mostOften}; at most ` +
      `${MOST_OFTEN_PER_SECOND} are well`;
    found.push({ wrong: "hot loop", episode, message });
  }
  return found;
}

function absentSlots({ plan, createdAt }: SeenCronJob, jobs: readonly SeenJob[], until: number): number[] {
  // A Job that a restored server forgot has run all the same.
  const started = new Set(jobs.map(({ slot }) => slot));
  return slotsOf(plan, createdAt, until).filter((slot) => !started.has(slot));
}

/** Whether this instant lies within a fault, or before everything had recovered from it. */
function disturbed({ episodes }: History, at: number): boolean {
  return episodes.some(({ from, recoveredAt = Infinity }) =>
    at >= from - REACTION_MS && at <= recoveredAt + REACTION_MS
  );
}

/** Whether nothing is promised about times just then. */
function hasNoTime({ episodes }: History, at: number): boolean {
  return episodes.some(({ exceptions, from, recoveredAt = Infinity }) =>
    exceptions.includes("time") && at >= from - REACTION_MS && at <= recoveredAt + REACTION_MS
  );
}

function finding(wrong: Wrong, at: number, { episodes }: History, message: string): Finding {
  return { wrong, episode: episodes.findLast(({ from }) => from - REACTION_MS <= at) ?? episodes[0], message };
}

function inWords(slot: number): string {
  return new Date(slot).toISOString();
}
