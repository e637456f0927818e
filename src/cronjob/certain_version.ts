import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../base/clock.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { OwnWrites } from "../runtime/own_writes.ts";
import type { CronJob } from "./api/cron_job.ts";
import { resumeValue } from "./api/lost_record.ts";
import { readCronJob, withType } from "./api/read_cron_job.ts";
import { withoutInnerOwners } from "./api/spec_writes.ts";
import type { CronJobObject } from "./api/types.ts";
import { isNeverTwice } from "./decision/name_hold.ts";
import type { NeverTwice } from "./decision/input.ts";
import type { Knowledge } from "./knowledge/knowledge.ts";
import { BETWEEN_READS_MS } from "./knowledge/newest_version.ts";

/*
 * A restored API server has forgotten: it shows CronJobs, Jobs and statuses of the past. A CronJob with `neverTwice` starts
 * nothing by such a version. Two consistent reads distinguish a server that has forgotten from a cache, or one server of
 * several, that lags. A user hears of a loss, and nothing starts until the CronJob is resumed.
 */

export interface CertainVersionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly neverTwice?: NeverTwice | undefined;
  readonly ownWrites: OwnWrites<CronJob>;
}

/** A CronJob as it is to be decided on, and what this process knows of it. */
export interface Versioned {
  readonly cronJob: CronJob;
  readonly knowledge: Knowledge;
}

/** Returns whether it has to be asked for first whether the API server still knows what it knew. */
export function isInDoubt({ cronJob, knowledge }: Versioned, neverTwice: NeverTwice | undefined): boolean {
  return isNeverTwice(cronJob.settings, neverTwice) && knowledge.newest.isNewerThan(cronJob);
}

/** Returns the version to decide on; or, while none is certain, when to look again. */
export async function certainVersion(
  { client, clock, neverTwice, ownWrites }: CertainVersionOptions,
  { cronJob, knowledge }: Versioned,
  signal: AbortSignal,
): Promise<{ readonly cronJob?: CronJob; readonly lookAt?: EpochMs }> {
  if (!isInDoubt({ cronJob, knowledge }, neverTwice)) return { cronJob };
  const { newest, witness } = knowledge;
  const found = await readConsistently(client, cronJob, signal);
  // It was deleted, which the cache will show.
  if (!found) return { lookAt: clock.now() + BETWEEN_READS_MS };
  if (newest.isNewerThan(found)) {
    const leftMs = BETWEEN_READS_MS - newest.noteOlderRead(clock.monotonic());
    if (leftMs > 0) return { lookAt: clock.now() + leftMs };
    witness.noteLost({ since: clock.now(), resume: resumeValue(found) });
  }
  newest.noteWritten(found);
  ownWrites.record(cronJob, found);
  return { cronJob: found };
}

/** A list without a version is answered from what most of etcd's members agree on. */
export async function readConsistently(
  client: KubeClient,
  { flavour, metadata: { uid, namespace, name } }: CronJob,
  signal: AbortSignal,
): Promise<CronJob | undefined> {
  const { items } = await client.list(flavour.resource, { namespace, fieldSelector: `metadata.name=${name}`, signal });
  const object = items.find(({ metadata }) => metadata.uid === uid);
  return object && readCronJob(flavour, withType(flavour, withoutInnerOwners(object as CronJobObject)));
}
