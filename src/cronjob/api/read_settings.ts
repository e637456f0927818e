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
const DEFAULT_CATCH_UP_RUNS = 1000;
/** The most that `maxRuns` gets: each decision counts the missed runs of several schedules one by one. */
const MOST_CATCH_UP_RUNS = 10_000;

/**
 * Reads the spec, or the annotations of a flavour that has no fields of its own. Annotations that are not understood
 * are left out and stand in `problems`; a schedule that cannot be parsed comes back as it is.
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
    exclusionsDigest: exclusionsDigest(extra, spec.timeZone),
    suspended: isSuspended(stewardshipOf(flavour, cronJob), cronJob),
    policy,
    maxActive,
    startingDeadlineMs: smallestMs(
      spec.startingDeadlineSeconds,
      extra.catchUp?.windowSeconds ?? (catchUp === "None" ? PUNCTUAL_SECONDS : undefined),
    ) ?? Infinity,
    catchUp,
    maxCatchUpRuns: Math.min(extra.catchUp?.maxRuns ?? DEFAULT_CATCH_UP_RUNS, MOST_CATCH_UP_RUNS),
    maxParallel: extra.catchUp?.maxParallel ?? (keepsOrder(policy) ? maxActive : 1),
    successfulLimit: spec.successfulJobsHistoryLimit ?? flavour.historyLimits.successful,
    failedLimit: spec.failedJobsHistoryLimit ?? flavour.historyLimits.failed,
    keepsFailedUntilSuccess: (extra.failedJobs ?? flavour.failedJobs) === "KeepUntilSuccess",
    dropsOnEdit: annotated.onEdit === "None",
    dropsOnResume: extra.onResume === "None",
    pause: findPause(pauseNote, extra.pause),
    pendingTimeoutMs: smallestMs(extra.pendingTimeoutSeconds ?? flavour.pendingTimeoutSeconds),
    pauseAfterFailures: extra.pauseAfterFailures ?? undefined,
    expect: extra.expect ?? undefined,
    startTime: parseTime(extra.startTime),
    endTime: parseTime(extra.endTime),
    badTime: badTimeOf(extra),
    spreadSeconds: extra.spreadSeconds ?? 0,
    exposeSchedule: extra.exposeSchedule ?? false,
    neverTwice: extra.neverTwice ?? undefined,
    unreadable: annotated.unreadable,
    problems: [...annotated.problems, ...pauseNote.kind === "problem" ? [pauseNote.message] : []],
  };
}

/** Returns the entries of a list of schedules, or without any the single schedule as the only entry. */
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

function badTimeOf({ startTime, endTime }: DeepReadonly<ExtraSpec>): string | undefined {
  const bad = Object.entries({ startTime, endTime }).find(([, text]) =>
    text !== undefined && parseTime(text) === undefined
  );
  return bad && `spec.${bad[0]}: ${JSON.stringify(bad[1])} must be a time such as 2026-01-02T03:04:05Z`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

/** An API server without the definition's schema may have stored no list: that counts as one unreadable entry. */
function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list : list === undefined || list === null ? [] : [list as T];
}

/** Returns the smallest of some limits in seconds, as milliseconds; undefined where none is set. */
function smallestMs(...seconds: (number | null | undefined)[]): number | undefined {
  const set = seconds.filter((value) => value !== undefined && value !== null);
  return set.length === 0 ? undefined : Math.min(...set) * 1000;
}

/** Returns the same text for exclusions of the same wording and zone; undefined for none. */
function exclusionsDigest(
  { exclude: entries, onExcluded }: DeepReadonly<ExtraSpec>,
  timeZone: string | null | undefined,
): string | undefined {
  const exclude = listOf(entries);
  return exclude.length === 0 ? undefined : stableHash(JSON.stringify([exclude, onExcluded, timeZone])).toString(36);
}
