import { isOlderVersion } from "../../kube/resource_version.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";

/** Between two reads that both have to return an older version: one may have been answered by a server that lags. */
export const BETWEEN_READS_MS = 5_000;

interface Known {
  readonly resourceVersion: string;
  readonly lastScheduleTime: EpochMs | undefined;
}

/** The newest version of one CronJob that the API server is known to have had. All of it may be lost. */
export class NewestVersion {
  #known: Known | undefined;
  /** Since when consistent reads have returned an older version, on the monotonic clock; undefined while none has. */
  #olderSince: number | undefined;

  /** The API server answered a write with this version, or is taken to have no newer one. */
  noteWritten({ metadata: { resourceVersion }, recorded: { lastScheduleTime } }: CronJob): void {
    this.#known = { resourceVersion, lastScheduleTime };
    this.#olderSince = undefined;
  }

  /** The cache shows this version. While another process is in charge, that one may set times back. */
  noteSeen(cronJob: CronJob, isInCharge: boolean): void {
    const isOlder = isInCharge ? this.isNewerThan(cronJob) : this.#hasFollowed(cronJob);
    if (!isOlder) this.noteWritten(cronJob);
  }

  /** Returns whether the API server had a newer version than this one, or a later last scheduled time. */
  isNewerThan(cronJob: CronJob): boolean {
    const { resourceVersion, lastScheduleTime = -Infinity } = this.#known ?? {};
    if (resourceVersion === undefined || resourceVersion === cronJob.metadata.resourceVersion) return false;
    return this.#hasFollowed(cronJob) || (cronJob.recorded.lastScheduleTime ?? -Infinity) < lastScheduleTime;
  }

  /** A consistent read returned an older version. Returns for how long these have done so, in milliseconds. */
  noteOlderRead(monotonic: number): number {
    return monotonic - (this.#olderSince ??= monotonic);
  }

  #hasFollowed({ metadata: { resourceVersion } }: CronJob): boolean {
    return this.#known !== undefined && isOlderVersion(resourceVersion, this.#known.resourceVersion);
  }
}
