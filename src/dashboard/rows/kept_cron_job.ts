import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import type { Cached } from "../../runtime/store.ts";

/** A CronJob as far as views read it, as text: of the thousands that are kept few are looked at at a time. */
export class KeptCronJob implements Cached {
  readonly #flavour: Flavour;
  readonly #text: string;
  /** Undefined where it is not paused after failures: only then it distinguishes a resumed one. */
  readonly #resumeMark: string | undefined;

  constructor(flavour: Flavour, object: CronJobObject) {
    const whole = readCronJob(flavour, object);
    this.#flavour = flavour;
    this.#resumeMark = whole.recordedFailures?.pausedSince === undefined ? undefined : whole.resumeMark;
    this.#text = JSON.stringify(withType(flavour, shrunk(object)));
  }

  get metadata(): CronJob["metadata"] {
    return this.read().metadata;
  }

  read(): CronJob {
    return readCronJob(this.#flavour, JSON.parse(this.#text), { resumeMark: this.#resumeMark });
  }
}

/** The text of the whole object once more. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Without what Jobs are made of, and of what is recorded about who wrote what only what is read. */
function shrunk(object: CronJobObject): CronJobObject {
  const { jobTemplate: _, ...spec } = object.spec ?? {};
  const { managedFields, ...metadata } = object.metadata;
  delete metadata.annotations?.[LAST_APPLIED];
  return {
    ...object,
    metadata: { ...metadata, ...(managedFields && { managedFields: managedFields.map(shrunkRecord) }) },
    spec: spec as CronJobObject["spec"],
  };
}

type ManagedFields = NonNullable<CronJobObject["metadata"]["managedFields"]>[number];

interface Fields {
  readonly [field: string]: Fields | undefined;
}

/** Leaves who wrote which field. */
function shrunkRecord({ apiVersion: _, fieldsType: __, fieldsV1, ...write }: ManagedFields): ManagedFields {
  const { "f:spec": spec, "f:metadata": metadata, "f:status": status } = (fieldsV1 ?? {}) as Fields;
  const annotations = metadata?.["f:annotations"];
  const fields = {
    ...spec && { "f:spec": namesIn(spec) },
    ...annotations && { "f:metadata": { "f:annotations": namesIn(annotations) } },
    ...status && { "f:status": namesIn(status) },
  };
  return { ...write, fieldsV1: fields };
}

function namesIn(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, {}]));
}
