import type { Loose } from "../../base/loose.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import {
  BACKFILL_PROGRESS,
  FAILED_RUNS,
  FAILURES,
  LAST_MISSED_TIME,
  LAST_TRIGGER,
  PASSED_OVER,
  RECORD_LOST,
  WAITING,
} from "./annotations.ts";
import { type Instants, readInstants, type Schema, type ValueOf } from "./schema.ts";
import { STATUS_FIELDS } from "./status_fields.ts";
import { readJson, type StoredCronJob } from "./stored_cron_job.ts";
import type { CronJobStatus, PassedOver } from "./types.ts";

/** How an annotation says what a field of the status holds. */
interface Form {
  readonly read: (text: string) => unknown;
  // deno-lint-ignore no-explicit-any
  readonly write: (value: any) => string;
}

const JSON_TEXT: Form = { read: readJson, write: JSON.stringify };
const BARE: Form = { read: (text) => text, write: String };
/** `after/before,…` */
const STRETCHES: Form = {
  read: (text) =>
    text.split(",").map((stretch) => {
      const [after, before] = stretch.split("/");
      return { after, before };
    }),
  write: (stretches: readonly PassedOver[]) => stretches.map(({ after, before }) => `${after}/${before}`).join(","),
};

/** Fields of the status that a closed one has no room for, each with the annotation in its place. */
const ANNOTATIONS = {
  lastTrigger: [LAST_TRIGGER, BARE],
  lastMissedTime: [LAST_MISSED_TIME, BARE],
  passedOver: [PASSED_OVER, STRETCHES],
  waiting: [WAITING, STRETCHES],
  backfill: [BACKFILL_PROGRESS, JSON_TEXT],
  failedRuns: [FAILED_RUNS, JSON_TEXT],
  failuresInARow: [FAILURES, JSON_TEXT],
  recordLost: [RECORD_LOST, JSON_TEXT],
} as const satisfies { readonly [Field in keyof CronJobStatus]: readonly [annotation: string, form: Form] };

type Field = keyof typeof ANNOTATIONS;

/** The records of a status, as they are written; what is undefined, or empty, is not there. */
export type StatusRecords = Loose<DeepReadonly<Pick<CronJobStatus, Field>>>;

/** Returns the text of what is recorded in a field of the status, whatever that is: an annotation may hold anything. */
export function recordedText({ flavour, status, metadata }: StoredCronJob, field: Field): unknown {
  if (flavour.openStatus) return status[field];
  const [annotation, { read }] = ANNOTATIONS[field];
  const text = metadata.annotations?.[annotation];
  return text === undefined ? undefined : read(text);
}

/** Returns what is recorded in a field of the status; what is no record counts as absent. */
export function recordOf<Of extends Field>(
  cronJob: StoredCronJob,
  field: Of,
): Instants<ValueOf<typeof STATUS_FIELDS[Of]>> | undefined {
  const schema = STATUS_FIELDS[field] as Schema<ValueOf<typeof STATUS_FIELDS[Of]>>;
  return readInstants(schema, recordedText(cronJob, field));
}

/** Returns records as annotations; null for those that are not there. */
export function annotationsOf(records: StatusRecords): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(ANNOTATIONS).map(([field, [annotation, { write }]]) => {
      const value = records[field as Field];
      return [annotation, value === undefined ? null : write(value)];
    }),
  );
}
