import { EXCLUDE, SCHEDULE, SCHEDULES } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../cronjob/api/read_cron_job.ts";
import { type Flavour, FLAVOURS } from "../cronjob/api/flavour.ts";
import { readSettings } from "../cronjob/api/read_settings.ts";
import type { Settings } from "../cronjob/api/settings.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";
import { type Manifest, nameOf, textOf } from "./parse.ts";

/** A CronJob as JSON, and the API that it is for. */
export interface CronJobOfApi extends Pick<Manifest, "object"> {
  readonly api: Flavour;
}

/** A CronJob in a manifest. */
export interface CronJobManifest extends Manifest, CronJobOfApi {
  /** `namespace/name`; without a namespace that is `default`. */
  readonly key: string;
}

/** Returns the CronJobs among manifests, of all APIs. */
export function cronJobsIn(manifests: readonly Manifest[]): CronJobManifest[] {
  return manifests.flatMap((manifest) => {
    const { apiVersion, kind, metadata } = manifest.object;
    const api = kind === "CronJob" ? apiOf(apiVersion) : undefined;
    if (api === undefined) return [];
    return [{ ...manifest, object: withoutToString(manifest.object), api, key: nameOf(metadata) }];
  });
}

function apiOf(apiVersion: string): Flavour | undefined {
  return FLAVOURS.find((flavour) => flavour.apiVersion === apiVersion);
}

/** Returns why a CronJob is of no known API; undefined of any other manifest. */
export function unknownApi({ object: { apiVersion, kind } }: Pick<Manifest, "object">): string | undefined {
  if (kind !== "CronJob" || apiOf(apiVersion) !== undefined) return undefined;
  const gone = apiVersion === "batch/v1beta1" || apiVersion === "batch/v2alpha1" ? "; Kubernetes 1.25 removed it" : "";
  return `no CronJob of ${textOf(apiVersion)} is known${gone}: use batch/v1`;
}

/** Returns a copy without keys `toString`, which would throw in messages that turn an object in a text's place into one. */
function withoutToString<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutToString) as T;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== "toString");
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutToString(value)])) as T;
}

/** Returns the field of the schedule in effect; of several schedules the field of `part`, where it has one of its own. */
export function schedulePath({ api, object }: CronJobOfApi, part?: number): string {
  if (api.extrasIn === "annotations" && typeof object.metadata?.annotations?.[SCHEDULES] === "string") {
    return `metadata.annotations[${SCHEDULES}]`;
  }
  const several: unknown = api.extrasIn === "spec" ? object.spec?.schedules ?? [] : [];
  if (!Array.isArray(several)) return "spec.schedules";
  if (several.length > 0) return part === undefined ? "spec.schedules" : `spec.schedules[${part}].schedule`;
  const annotated = api.extrasIn === "annotations" && typeof object.metadata?.annotations?.[SCHEDULE] === "string";
  return annotated ? `metadata.annotations[${SCHEDULE}]` : "spec.schedule";
}

/** Returns the field in which exclusions stand, or one of them such as `[0]`. */
export function exclusionsPath({ api }: CronJobOfApi, entry = ""): string {
  return api.extrasIn === "annotations" ? `metadata.annotations[${EXCLUDE}]` : `spec.exclude${entry}`;
}

/**
 * Returns the settings of a CronJob, as the controller reads them.
 *
 * @throws {ScheduleError} when there is no schedule to read.
 */
export function settingsOf(manifest: CronJobManifest): Settings {
  const { api, object, object: { spec } } = manifest;
  if (typeof spec?.schedule !== "string") {
    const missing = (spec?.schedule ?? null) === null;
    throw new ScheduleError(
      "schedule",
      missing ? "" : textOf(spec?.schedule),
      missing ? "is missing" : "must be a string",
    );
  }
  return readSettings(api, { ...object, metadata: metadataOf(manifest) } as CronJobObject);
}

/** Returns the CronJob of a manifest as if it were created now. Its UID, by which runs are spread, is made up. */
export function createdCronJob(manifest: CronJobManifest, now: EpochMs): CronJob {
  const { api, object: { status: _, ...asked }, key } = manifest;
  const created = { uid: key, generation: 1, resourceVersion: "", creationTimestamp: formatTime(now) };
  const metadata = { ...metadataOf(manifest), ...created };
  return readCronJob(api, withType(api, { ...asked, metadata } as CronJobObject));
}

/** Returns the metadata with a namespace, and without annotations that the API server would refuse. */
function metadataOf({ object: { metadata }, key }: CronJobManifest): object {
  const [namespace, name] = key.split("/");
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([, value]) => typeof value === "string");
  return { ...metadata, namespace, name, annotations: Object.fromEntries(annotations) };
}
