import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { BACKFILL } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import { recordOf } from "./records.ts";
import { admitted, type Instants, parseAdmitted, writeInstants } from "./schema.ts";
import { type BackfillSpec, EXTRA_SPEC_FIELDS } from "./spec_fields.ts";
import { STATUS_FIELDS } from "./status_fields.ts";
import type { StoredCronJob } from "./stored_cron_job.ts";
import type { BackfillStatus, CronJobObject } from "./types.ts";
import type { Loose } from "../../base/loose.ts";

/** The scheduled times that a back-fill runs. */
export type Reprocess = NonNullable<BackfillSpec["reprocess"]>;

/** The range of a back-fill: it can't change once that has begun. */
export interface BackfillRange {
  /** The first instant. */
  readonly from: EpochMs;
  /** The first instant after it. */
  readonly to: EpochMs;
  /** Whether the newest scheduled time goes first. */
  readonly reverse: boolean;
}

/** A request for runs of the past. */
export interface Backfill extends BackfillRange {
  readonly id: string;
  readonly reprocess: Reprocess;
  /** How many of its runs may be active at a time. */
  readonly maxActive: number;
  /** It is refused where there are more scheduled times. */
  readonly maxSlots: number;
}

/** The back-fill that is asked for, or its fault. */
export type BackfillReading =
  | { readonly kind: "none" }
  | { readonly kind: "backfill"; readonly backfill: Backfill }
  | { readonly kind: "problem"; readonly message: string };

/** How far a back-fill has come, as it is recorded: of the scheduled times up to the cursor none is looked at again. */
export type BackfillProgress = Instants<BackfillStatus> & BackfillRange & { readonly active: readonly BackfillJob[] };

/** A Job of a back-fill that has not finished. */
export type BackfillJob = Instants<NonNullable<BackfillStatus["active"]>[number]>;

/** The counters of a back-fill that has just begun. */
export const NOTHING_COUNTED = { succeeded: 0, failed: 0, gone: 0, skipped: 0 };

const STATES: readonly BackfillStatus["state"][] = ["Running", "Completed", "Cancelled", "Refused"];
/** Unless a request names more. */
const MAX_SLOTS = 1_000;
const MAX_ACTIVE = 100;
/** As a label's value. */
const ID = /^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const EXAMPLE = '{"id":"1","from":"2026-01-02T00:00:00Z","to":"2026-01-03T00:00:00Z"}';
const MAX_MESSAGE_LENGTH = 1_024;

/** The annotation in place of a request: the one of the spec with this id is not to be carried out. */
interface Cancellation {
  readonly id: string;
  readonly cancelled: true;
}

/** Reads the annotation, or else the field. */
export function readBackfill(flavour: Flavour, cronJob: DeepReadonly<CronJobObject>): BackfillReading {
  const annotation = cronJob.metadata.annotations?.[BACKFILL];
  const inSpec = backfillInSpec(flavour, cronJob);
  let where = `annotation ${BACKFILL}`;
  try {
    const annotated = annotation === undefined
      ? undefined
      : parseAdmitted<BackfillSpec | Cancellation>({ type: "object" }, annotation, EXAMPLE);
    const cancelled = annotated && isCancellation(annotated) ? annotated.id : undefined;
    const asked = annotated && !isCancellation(annotated) ? annotated : inSpec;
    if (!asked || asked.id === cancelled) return { kind: "none" };
    if (asked === inSpec) where = "spec.backfill";
    return { kind: "backfill", backfill: backfillOf(asked) };
  } catch (error) {
    return { kind: "problem", message: `${where} is ignored: ${(error as Error).message}` };
  }
}

/** Returns what `spec.backfill` asks for where the flavour has it, whatever the annotation says. */
export function backfillInSpec(
  { extrasIn }: Flavour,
  { spec }: DeepReadonly<CronJobObject>,
): DeepReadonly<BackfillSpec> | undefined {
  return extrasIn === "spec" ? spec.backfill ?? undefined : undefined;
}

/**
 * Returns the text of the annotation that keeps the back-fill of the spec from being carried out once another was asked
 * for.
 */
export function writeCancellation({ id }: Pick<BackfillSpec, "id">): string {
  return JSON.stringify({ id, cancelled: true } satisfies Cancellation);
}

function isCancellation(value: object): value is Cancellation {
  return "cancelled" in value && value.cancelled === true;
}

function backfillOf(asked: unknown): Backfill {
  const { id, reprocess = "missing", maxActive = 1, reverse = false, maxSlots = MAX_SLOTS, ...range } = admitted(
    EXTRA_SPEC_FIELDS.backfill,
    asked,
  );
  if (!ID.test(id)) throw new Error("id must have letters, digits, '-', '_' or '.', another one for each back-fill");
  const [from, to] = [timeOf("from", range.from), timeOf("to", range.to)];
  if (to <= from) throw new Error(`to must be after from, current values are ${range.from} and ${range.to}`);
  return { id, from, to, reprocess, maxActive, reverse, maxSlots };
}

function timeOf(name: string, text: string): EpochMs {
  const time = parseTime(text)!;
  if (time < 0) throw new Error(`${name} must be a time from 1970 on, such as 2026-01-02T03:04:05Z`);
  // Scheduled times are whole seconds, and so is what is recorded.
  return Math.ceil(time / 1_000) * 1_000;
}

/** Reads what is recorded; what is no record counts as none. */
export function readBackfillProgress(cronJob: StoredCronJob): BackfillProgress | undefined {
  const record: Loose<Partial<BackfillProgress>> = recordOf(cronJob, "backfill") ?? {};
  const { id, state, from, to, startTime, active = [] } = record;
  if ([id, from, to, startTime].includes(undefined) || !STATES.includes(state!)) return undefined;
  const whole = { reverse: false, slots: 0, ...NOTHING_COUNTED, ...record, active: active.slice(0, MAX_ACTIVE) };
  return whole as BackfillProgress;
}

/** Returns the text of what is recorded; {@linkcode readBackfillProgress} reads it. */
export function writeBackfillProgress({ reverse, active, message, ...progress }: BackfillProgress): BackfillStatus {
  return writeInstants(STATUS_FIELDS.backfill, {
    ...progress,
    ...(reverse && { reverse }),
    ...(active.length > 0 && { active }),
    // A refusal says whatever a webhook says.
    message: message?.slice(0, MAX_MESSAGE_LENGTH),
  });
}
