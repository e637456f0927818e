import { MANAGED } from "../cronjob/api/annotations.ts";
import type { Settings } from "../cronjob/api/settings.ts";
import { type CronJobManifest, exclusionsPath, schedulePath } from "../manifest_files/cron_job.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { type Finding, finding } from "./finding.ts";
import type { RuleId } from "./rules.ts";
import { scheduleHazards } from "./schedule_hazards.ts";

/** All that the rules below look at. */
export interface HazardInput {
  /** The CronJob as it is written, so that a value of the wrong type does not count as missing. */
  readonly cronJob: CronJobManifest;
  readonly settings: Settings;
  /** The schedule that the controller follows. */
  readonly asked: Schedule;
  /** The schedule before anything is excluded. */
  readonly base: Schedule;
  /** The schedules that the base is the union of. */
  readonly parts: readonly Schedule[];
  readonly now: EpochMs;
}

/** The message of a rule about a field. */
type Said = readonly [field: string, message: string];

const CHECKS: { readonly [rule in RuleId]?: (input: HazardInput) => readonly Said[] } = {
  "everything-excluded": everythingExcluded,
  "ended": ended,
  "short-deadline": shortDeadline,
  "allow-without-deadline": allowPilesUp,
  "disruption": unansweredDisruption,
  "expectation": unmetExpectations,
  "no-history-limit": keepsAllJobs,
};

/** Finds settings that the API server takes and users regret. */
export function hazards(input: HazardInput): Finding[] {
  const { cronJob, parts, now } = input;
  return [
    ...parts.flatMap((schedule, i) => scheduleHazards({ cronJob, schedule, path: schedulePath(cronJob, i), now })),
    ...Object.entries(CHECKS).flatMap(([rule, check]) =>
      check(input).map(([field, message]) => finding(rule as RuleId, field, message))
    ),
  ];
}

function everythingExcluded({ cronJob, asked, base, now }: HazardInput): Said[] {
  if (base.next(now) === undefined || asked.anchoredAt(now).next(now) !== undefined) return [];
  return [[exclusionsPath(cronJob), "excludes every time: it never runs"]];
}

function ended({ settings: { startTime, endTime }, now }: HazardInput): Said[] {
  if (endTime === undefined) return [];
  const at = new Date(endTime).toISOString().replace(".000Z", "Z");
  if (startTime !== undefined && endTime <= startTime) {
    return [["spec.endTime", `${at} is not after startTime: no scheduled run starts`]];
  }
  if (endTime > now) return [];
  return [["spec.endTime", `${at} lies in the past: no scheduled run starts any more`]];
}

/** Yields the milliseconds between the next runs, `most` at most. */
function* gapsOf(schedule: Schedule, now: EpochMs, most: number): Generator<number> {
  let time = schedule.next(now);
  for (let i = 0; i < most && time !== undefined; i++) {
    const next = schedule.next(time);
    if (next !== undefined) yield next - time;
    time = next;
  }
}

/** kube-controller-manager has looked at all CronJobs every 10 seconds, and Kubernetes' documentation still warns of less. */
const SHORTEST_DEADLINE_SECONDS = 10;

function shortDeadline({ cronJob: { api, object } }: HazardInput): Said[] {
  const seconds = object.spec.startingDeadlineSeconds;
  const isOurs = !api.adoptable || object.metadata?.annotations?.[MANAGED] === "true";
  if (isOurs || typeof seconds !== "number" || seconds < 0 || seconds >= SHORTEST_DEADLINE_SECONDS) return [];
  return [[
    "spec.startingDeadlineSeconds",
    `${seconds} s may be over before kube-controller-manager looks: set at least ${SHORTEST_DEADLINE_SECONDS}`,
  ]];
}

/** The runs that are looked at: a day of them, if they are hourly. */
const HOURLY_RUNS = 24;
/** Runs that are further apart have mostly ended before the next one, or a user has noticed. */
const PILING_UP_MS = 3_600_000;

function allowPilesUp({ cronJob, settings, base, now }: HazardInput): Said[] {
  if (settings.policy !== "Allow" || Number.isFinite(settings.maxActive)) return [];
  if (Math.min(Infinity, ...gapsOf(base, now, HOURLY_RUNS)) > PILING_UP_MS) return [];
  const { spec } = cronJob.object;
  const hasDeadline = settings.startingDeadlineMs < Infinity || (spec.startingDeadlineSeconds ?? null) !== null;
  if (hasDeadline || (spec.jobTemplate?.spec?.activeDeadlineSeconds ?? null) !== null) return [];
  return [[
    spec.concurrencyPolicy === undefined ? "spec" : "spec.concurrencyPolicy",
    "concurrencyPolicy Allow without a deadline lets slow or late runs pile up: set startingDeadlineSeconds, " +
    "jobTemplate.spec.activeDeadlineSeconds, or another concurrencyPolicy",
  ]];
}

/** The length from which a Job meets, sooner or later, a node that is drained or scaled away. */
const LONG_SECONDS = 3_600;

/** Annotations of a Pod that keep autoscalers from evicting it. */
const NOT_TO_BE_EVICTED = [
  ["karpenter.sh/do-not-disrupt", "true"],
  ["cluster-autoscaler.kubernetes.io/safe-to-evict", "false"],
] as const;

/** Judges Jobs with a deadline alone, as nothing else says how long a Job may take. */
function unansweredDisruption({ cronJob: { object } }: HazardInput): Said[] {
  const job = object.spec.jobTemplate?.spec;
  const { metadata, spec } = job?.template ?? {};
  const seconds = Math.min(...[job, spec].map((each) => each?.activeDeadlineSeconds ?? Infinity));
  if (!(seconds >= LONG_SECONDS && seconds < Infinity)) return [];
  const isAnswered = NOT_TO_BE_EVICTED.some(([name, value]) => metadata?.annotations?.[name] === value) ||
    /"DisruptionTarget"/.test(JSON.stringify(job?.podFailurePolicy ?? null));
  if (isAnswered) return [];
  return [[
    "spec.jobTemplate.spec",
    `may run for ${
      Math.floor(seconds / 60)
    } minutes, and begins anew, or fails, if its node is drained or scaled away: ` +
    "answer DisruptionTarget in podFailurePolicy, or annotate the Pod template karpenter.sh/do-not-disrupt or " +
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
  ]];
}

/** The runs that are looked at: a year of them, if they are daily. */
const DAILY_RUNS = 400;

function unmetExpectations({ cronJob: { object }, settings: { expect }, asked, now }: HazardInput): Said[] {
  const { succeededWithinSeconds, minimumDurationSeconds } = expect ?? {};
  const said: Said[] = [];
  const gaps = succeededWithinSeconds === undefined ? [] : gapsOf(asked.anchoredAt(now), now, DAILY_RUNS);
  const gap = Math.max(0, ...gaps) / 1_000;
  if (succeededWithinSeconds !== undefined && gap >= succeededWithinSeconds) {
    const message = `${succeededWithinSeconds} s is no longer than the ${gap} s between two runs`;
    said.push(["spec.expect.succeededWithinSeconds", message]);
  }
  const { activeDeadlineSeconds = Infinity } = object.spec.jobTemplate?.spec ?? {};
  if (minimumDurationSeconds !== undefined && minimumDurationSeconds >= (activeDeadlineSeconds ?? Infinity)) {
    const message = `${minimumDurationSeconds} s is no shorter than activeDeadlineSeconds, ${activeDeadlineSeconds} s`;
    said.push(["spec.expect.minimumDurationSeconds", message]);
  }
  return said;
}

function keepsAllJobs({ cronJob, settings }: HazardInput): Said[] {
  const { spec } = cronJob.object;
  const unlimited = [
    ...(settings.successfulLimit === undefined ? ["successfulJobsHistoryLimit"] : []),
    ...(settings.failedLimit === undefined ? ["failedJobsHistoryLimit"] : []),
  ].filter((name) => (spec[name] ?? null) === null);
  const expires = (spec.jobTemplate?.spec?.ttlSecondsAfterFinished ?? null) !== null;
  if (unlimited.length === 0 || expires) return [];
  return [["spec", `keeps every finished Job: set ${unlimited.join(" and ")}`]];
}
