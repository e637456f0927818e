import type { EpochMs } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Exclusion, OnExcluded } from "../../schedule/exclusions/exclusion.ts";
import type { Pause } from "./pause.ts";
import type { CatchUpPolicy, ExpectSpec, ExtraSpec } from "./spec_fields.ts";
import type { ConcurrencyPolicy } from "./types.ts";

export interface ScheduleSettings {
  /** The field in which it stands, such as `spec.schedules[1].schedule`. */
  readonly field: string;
  readonly text: string;
  readonly timeZone: string | undefined;
  readonly name: string | undefined;
}

/** The wishes of one CronJob, whichever flavour says them: defaults filled in, units made plain. */
export interface Settings {
  /** Of several, all their texts. */
  readonly schedule: string;
  /** At least one. */
  readonly schedules: readonly [ScheduleSettings, ...ScheduleSettings[]];
  readonly timeZone: string | undefined;
  /** The key that `H` is spread by; given where the schedule may say more than Kubernetes' grammar has. */
  readonly hashKey: string | undefined;
  readonly clockChangePolicy: ExtraSpec["clockChangePolicy"];
  /** Empty for none. */
  readonly exclude: readonly DeepReadonly<Exclusion>[];
  readonly onExcluded: OnExcluded;
  /** Distinguishes these exclusions from others; undefined for none. */
  readonly exclusionsDigest: string | undefined;
  readonly suspended: boolean;
  readonly policy: ConcurrencyPolicy;
  /** Runs that may be active at once; Infinity where nothing limits them. */
  readonly maxActive: number;
  /** How long after its scheduled time a run may still start, however late a spread starts it; Infinity for any time. */
  readonly startingDeadlineMs: number;
  readonly catchUp: CatchUpPolicy;
  readonly maxCatchUpRuns: number;
  /** A missed run starts while fewer older runs than this are active. */
  readonly maxParallel: number;
  readonly successfulLimit: number | undefined;
  readonly failedLimit: number | undefined;
  /** Whether a success removes the failed Jobs before it. */
  readonly keepsFailedUntilSuccess: boolean;
  /** Whether a change of schedule or zone drops what was due before it. */
  readonly dropsOnEdit: boolean;
  /** Whether what came due while suspended or paused is dropped. */
  readonly dropsOnResume: boolean;
  readonly pause: Pause | undefined;
  /** How long a Job may wait for its first Pod to start; 0 for ever; undefined where nothing is said of it. */
  readonly pendingTimeoutMs: number | undefined;
  /** After how many failed runs in a row nothing is started any more; undefined for never. */
  readonly pauseAfterFailures: number | undefined;
  /** The expectations of runs; undefined where there is none. */
  readonly expect: DeepReadonly<ExpectSpec> | undefined;
  readonly startTime: EpochMs | undefined;
  readonly endTime: EpochMs | undefined;
  /** Names `startTime` or `endTime`, if one of them is no time, and says what it must be. */
  readonly badTime: string | undefined;
  readonly spreadSeconds: number;
  readonly exposeSchedule: boolean;
  /** Whether the names of its Jobs stay taken for a while; undefined: as the controller's default says. */
  readonly neverTwice: boolean | undefined;
  /** The annotation that keeps the schedule from being followed, and its place. */
  readonly unreadable: Unreadable | undefined;
  /** Annotations that could not be understood, each with what is wrong. */
  readonly problems: readonly string[];
}

/** The annotation that keeps the schedule from being followed, and its place. */
export interface Unreadable {
  readonly reason: "UnparseableSchedule" | "InvalidExclusion";
  readonly message: string;
}

/** Returns whether a run whose time comes while others wait joins the end of their line. */
export function keepsOrder(policy: ConcurrencyPolicy): boolean {
  return policy === "Forbid" || policy === "Queue";
}

/** Returns whether the text names a zone by `TZ=` or `CRON_TZ=`. */
export function hasZoneInside(schedule: string): boolean {
  return schedule.includes("TZ");
}
