import type { KubeClient, ObjectName } from "../../kube/client.ts";
import { type KubeObject, makeKey } from "../../kube/object.ts";
import { listAll } from "../../kube/paging.ts";
import { apiVersionOf, JOBS } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { EventSink } from "../../runtime/event_recorder.ts";
import { ObjectStore } from "../../runtime/store.ts";
import type { CronJobApi } from "../api/flavour.ts";
import { ownerOf } from "../decision/ownership.ts";
import { Reconciler } from "../reconciler.ts";
import type { CronJobObject } from "../api/types.ts";

/**
 * Does what the controller of this flavour would do about one CronJob, by what the API server says now.
 *
 * @throws {ApiError} where the server refuses, such as with a conflict if somebody else works on it too
 */
export async function lookOnce(
  { namespace, name }: ObjectName,
  { api, client, clock, recorder }: { api: CronJobApi; client: KubeClient; clock: Clock; recorder: EventSink },
): Promise<void> {
  // In this order, as the controller's caches are filled.
  const jobs = new ObjectStore({ owner: (job) => [ownerOf(api, job)?.uid].filter((uid) => uid !== undefined) });
  fill(jobs, await Array.fromAsync(listAll(client, JOBS, { namespace })));
  const cronJob = await client.get(api.resource, { namespace, name });
  const cronJobs = new ObjectStore<CronJobObject>();
  fill(cronJobs, [{ ...cronJob, apiVersion: apiVersionOf(api.resource), kind: api.resource.kind }]);
  const reconciler = new Reconciler({ api, client, clock, recorder, cronJobs, jobs });
  await reconciler.reconcile(makeKey(namespace, name), new AbortController().signal);
}

function fill<T extends KubeObject, Index extends string>(store: ObjectStore<T, Index>, objects: T[]): void {
  const writer = store.writer();
  writer.apply({ type: "Init" });
  writer.apply({ type: "InitPage", objects });
  writer.apply({ type: "InitDone" });
}
