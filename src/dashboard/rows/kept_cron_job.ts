import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import type { Cached } from "../../runtime/store.ts";

/** What views read of a CronJob, as text: of the thousands that are kept few are looked at at a time. */
export class KeptCronJob implements Cached {
  readonly #flavour: Flavour;
  readonly #text: string;
  /** What is recorded about who wrote what, without the times: it is the same for most, and half of what is kept of one. */
  readonly #writers: string;
  /** Undefined where it is not paused after failures: only then it distinguishes a resumed one. */
  readonly #resumeMark: string | undefined;

  /** @param writers those of others, to be shared with them */
  constructor(flavour: Flavour, object: CronJobObject, writers: SharedTexts) {
    const { managedFields = [] } = object.metadata;
    const whole = readCronJob(flavour, object);
    this.#flavour = flavour;
    this.#resumeMark = whole.recordedFailures?.paused && whole.resumeMark;
    this.#text = JSON.stringify([managedFields.map(({ time }) => time), withType(flavour, shrunk(object))]);
    this.#writers = writers.shared(JSON.stringify(managedFields.map(shrunkRecord)));
  }

  get metadata(): CronJob["metadata"] {
    return this.read().metadata;
  }

  read(): CronJob {
    const [times, { metadata, ...object }] = JSON.parse(this.#text);
    const managedFields = JSON.parse(this.#writers)
      .map((writer: ManagedFields, index: number) => ({ ...writer, time: times[index] ?? undefined }));
    const known = { resumeMark: this.#resumeMark };
    return readCronJob(this.#flavour, { ...object, metadata: { ...metadata, managedFields } }, known);
  }
}

/** Distinct texts that are known at a time. */
const MAX_TEXTS = 1_000;

/** Keeps one of all texts that are the same. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Returns the text that is kept for it. */
  shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

/** Shared by all fields of which only the name is of interest. */
const OWNED = Object.freeze({});

/** The text of the whole object once more. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Without what Jobs are made of, and without what is recorded about who wrote what. */
function shrunk(object: CronJobObject): CronJobObject {
  const { jobTemplate: _, ...spec } = object.spec ?? {};
  const { annotations, managedFields: _writers, ...metadata } = object.metadata;
  delete annotations?.[LAST_APPLIED];
  return {
    ...object,
    metadata: { ...metadata, annotations },
    spec: spec as CronJobObject["spec"],
  };
}

type ManagedFields = NonNullable<CronJobObject["metadata"]["managedFields"]>[number];

interface Fields {
  readonly [field: string]: Fields | undefined;
}

/** Leaves who wrote which field. */
function shrunkRecord({ manager, operation, subresource, fieldsV1 }: ManagedFields): ManagedFields {
  const { "f:spec": spec, "f:metadata": metadata, "f:status": status } = (fieldsV1 ?? {}) as Fields;
  const annotations = metadata?.["f:annotations"];
  const fields = {
    ...spec && { "f:spec": namesIn(spec) },
    ...annotations && { "f:metadata": { "f:annotations": namesIn(annotations) } },
    ...status && { "f:status": namesIn(status) },
  };
  return { manager, operation, subresource, fieldsV1: fields };
}

function namesIn(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, OWNED]));
}
