import { parseTime } from "../../base/epoch_ms.ts";
import { type DeepReadonly, keyOf } from "../../kube/object.ts";
import { stableHash } from "../../schedule/stable_hash.ts";
import { type ExtraAnnotations, readAnnotations } from "./annotation_settings.ts";
import { SCHEDULE, SCHEDULES } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import { findPause, readPauseNote } from "./pause.ts";
import { keepsOrder, type Settings } from "./settings.ts";
import type { ExtraSpec, ScheduleEntry } from "./spec_fields.ts";
import { isSuspended, stewardshipOf } from "./stewardship.ts";
import type { CronJobObject } from "./types.ts";

/** Under `catchUp: None` a run later than this is missed, unless `windowSeconds` says otherwise. */
const PUNCTUAL_SECONDS = 60;
/** How many missed runs `catchUp: All` starts at most, unless `maxRuns` says otherwise. */
const MAX_CATCH_UP_RUNS = 1000;
/** Whatever `maxRuns` says: those of several schedules are counted one by one with each decision. */
const MOST_CATCH_UP_RUNS = 10_000;

/**
 * Reads the spec, or the annotations of a flavour that has no fields of its own. Annotations that are not understood
 * are left out and stand in `problems`; a schedule that is none comes back as it is.
 */
export function readSettings(flavour: Flavour, cronJob: DeepReadonly<CronJobObject>): Settings {
  const { spec } = cronJob;
  const annotated: ExtraAnnotations = flavour.extrasIn === "annotations" ? readAnnotations(cronJob) : { problems: [] };
  const extra: DeepReadonly<ExtraSpec> = flavour.extrasIn === "spec" ? spec : annotated;
  const pauseNote = readPauseNote(cronJob);
  const policy = spec.concurrencyPolicy || "Allow";
  const catchUp = extra.catchUp?.policy ?? "Latest";
  const maxActive = extra.maxConcurrentRuns ?? (policy === "Allow" ? Infinity : 1);
  const schedules = readSchedules(flavour, cronJob, annotated.schedule, extra.schedules);
  return {
    schedule: schedules.map(({ text }) => text).join("; "),
    schedules,
    timeZone: spec.timeZone ?? undefined,
    hashKey: flavour.extrasIn === "spec" || annotated.schedule !== undefined || annotated.schedules !== undefined
      ? keyOf(cronJob)
      : undefined,
    clockChangePolicy: extra.clockChangePolicy,
    exclude: listOf(extra.exclude),
    onExcluded: extra.onExcluded ?? "Skip",
    exclusionsDigest: digestOf(extra, spec.timeZone),
    suspended: isSuspended(stewardshipOf(flavour, cronJob), cronJob),
    policy,
    maxActive,
    latenessMs: smallest(
      spec.startingDeadlineSeconds,
      extra.catchUp?.windowSeconds ?? (catchUp === "None" ? PUNCTUAL_SECONDS : undefined),
    ),
    catchUp,
    maxCatchUpRuns: Math.min(extra.catchUp?.maxRuns ?? MAX_CATCH_UP_RUNS, MOST_CATCH_UP_RUNS),
    maxParallel: extra.catchUp?.maxParallel ?? (keepsOrder(policy) ? maxActive : 1),
    successfulLimit: spec.successfulJobsHistoryLimit ?? flavour.historyLimits.successful,
    failedLimit: spec.failedJobsHistoryLimit ?? flavour.historyLimits.failed,
    keepsFailedUntilSuccess: (extra.failedJobs ?? flavour.failedJobs) === "KeepUntilSuccess",
    dropsOnEdit: annotated.onEdit === "None",
    dropsOnResume: extra.onResume === "None",
    pause: findPause(pauseNote, extra.pause),
    pendingTimeoutMs: smallest(extra.pendingTimeoutSeconds ?? flavour.pendingTimeoutSeconds),
    pauseAfterFailures: extra.pauseAfterFailures ?? undefined,
    expect: extra.expect ?? undefined,
    startTime: parseTime(extra.startTime),
    endTime: parseTime(extra.endTime),
    badTimes: badTimes(extra),
    spreadSeconds: extra.spreadSeconds ?? 0,
    exposeSchedule: extra.exposeSchedule ?? false,
    neverTwice: extra.neverTwice ?? undefined,
    unreadable: annotated.unreadable,
    problems: [...annotated.problems, ...pauseNote.kind === "problem" ? [pauseNote.message] : []],
  };
}

/** Several take the place of one. */
function readSchedules(
  { extrasIn }: Flavour,
  { spec }: DeepReadonly<CronJobObject>,
  annotated: string | undefined,
  entries: readonly DeepReadonly<ScheduleEntry>[] | undefined,
): Settings["schedules"] {
  const timeZone = spec.timeZone ?? undefined;
  const list = extrasIn === "spec" ? "spec.schedules" : `metadata.annotations[${SCHEDULES}]`;
  const [first, ...others] = listOf(entries).map((entry, i) => ({
    field: `${list}[${i}].schedule`,
    text: textOf(entry?.schedule),
    timeZone: entry?.timeZone ?? timeZone,
    name: typeof entry?.name === "string" ? entry.name : undefined,
  }));
  if (first) return [first, ...others];
  const field = annotated === undefined ? "spec.schedule" : `metadata.annotations[${SCHEDULE}]`;
  return [{ field, text: textOf(annotated ?? spec.schedule), timeZone, name: undefined }];
}

function badTimes({ startTime, endTime }: DeepReadonly<ExtraSpec>): string[] {
  return Object.entries({ startTime, endTime })
    .filter(([, text]) => text !== undefined && parseTime(text) === undefined)
    .map(([name, text]) => `spec.${name}: ${JSON.stringify(text)} must be a time such as 2026-01-02T03:04:05Z`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

/** An API server without the definition's schema may have stored no list: that counts as one unreadable entry. */
function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list : list === undefined || list === null ? [] : [list as T];
}

/** Returns the smaller of two limits in seconds, as milliseconds; undefined where neither is set. */
function smallest(...seconds: (number | null | undefined)[]): number | undefined {
  const set = seconds.filter((value) => value !== undefined && value !== null);
  return set.length === 0 ? undefined : Math.min(...set) * 1000;
}

/** Two sets of exclusions that say the same have the same. */
function digestOf(
  { exclude: entries, onExcluded }: DeepReadonly<ExtraSpec>,
  timeZone: string | null | undefined,
): string | undefined {
  const exclude = listOf(entries);
  return exclude.length === 0 ? undefined : stableHash(JSON.stringify([exclude, onExcluded, timeZone])).toString(36);
}
