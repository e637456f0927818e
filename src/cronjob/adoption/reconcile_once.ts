import type { KubeClient } from "../../kube/client.ts";
import { makeKey, type ObjectName } from "../../kube/object.ts";
import { listAll } from "../../kube/paging.ts";
import { JOBS } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import type { EventSink } from "../../runtime/event_recorder.ts";
import { type Cached, ObjectStore } from "../../runtime/store.ts";
import type { CronJob } from "../api/cron_job.ts";
import { readCronJob, withType } from "../api/read_cron_job.ts";
import type { Flavour } from "../api/flavour.ts";
import { type Child, readJob } from "../api/job.ts";
import { isManaged } from "../api/stewardship.ts";
import { CHILD_INDEXES } from "../child_cache.ts";
import { Reconciler } from "../reconciler.ts";
import { CronJobReporter } from "../reporter.ts";

/**
 * Does what the controller of this flavour would do about one adopted CronJob, by what the API server says now.
 *
 * @throws {ApiError} where the server refuses, such as with a conflict if another client works on it too
 */
export async function reconcileOnce(
  { namespace, name }: ObjectName,
  { flavour, client, clock, recorder }: { flavour: Flavour; client: KubeClient; clock: Clock; recorder: EventSink },
): Promise<void> {
  // In this order, as the controller's caches are filled.
  const jobs = new ObjectStore<Child, "owner">(CHILD_INDEXES);
  fill(jobs, await Array.fromAsync(listAll(client, JOBS, { namespace }), (job) => readJob([flavour], job)));
  const cronJob = await client.get(flavour.resource, { namespace, name });
  const cronJobs = new ObjectStore<CronJob>();
  fill(cronJobs, [readCronJob(flavour, withType(flavour, cronJob))]);
  const reporter = new CronJobReporter({ recorder, exists: () => true });
  // A CronJob that is given back on the way is the other controller's from then on.
  const reconciler = new Reconciler({ flavour, client, clock, reporter, cronJobs, jobs, isOurs: isManaged });
  const { signal } = new AbortController();
  while ((await reconciler.reconcile(makeKey(namespace, name), signal)).again);
}

function fill<T extends Cached, Index extends string>(store: ObjectStore<T, Index>, objects: T[]): void {
  const writer = store.writer();
  writer.apply({ type: "Init" });
  writer.apply({ type: "InitPage", objects });
  writer.apply({ type: "InitDone" });
}
