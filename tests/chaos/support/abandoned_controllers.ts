import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { holdMsOf } from "../../../src/cronjob/decision/name_hold.ts";
import { loadConnection } from "../../../src/kube/connection.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import type { ObjectName } from "../../../src/kube/object.ts";
import { JOBS, NAMESPACES } from "../../../src/kube/resource.ts";
import { ApiServerProcess } from "../../support/api_server_process.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";
import { cronJobOf, POD_TEMPLATE } from "../../support/cron_job.ts";
import { must } from "../../support/expected.ts";
import { eventually, temporaryFolder } from "../../support/program.ts";
import { AbandonedController } from "./abandoned_controller.ts";

const EVERY_MS = 2_000;
const NAME = "c";

/** What became of the slots of all CronJobs. */
export interface Outcome {
  readonly kills: number;
  readonly jobs: number;
  /** Jobs beyond the first of a slot. */
  readonly doubled: number;
  /** Slots that a status is past, without a Job. */
  readonly lost: number;
}

/**
 * Kills controllers between the creation of a Job and the status that records it, at least so many times, each kill by
 * itself: one controller for each CronJob, which others succeed. Each time another client deletes the Job at once.
 */
export async function killBeforeStatuses(
  { kills: most, cronJobs, neverTwice }: { kills: number; cronJobs: number; neverTwice: boolean },
): Promise<Outcome> {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  const { client, address: { kubeconfigPath: kubeconfig } } = server;
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const { metadata: { resourceVersion } } = await client.list(JOBS, {});
  const connection = await loadConnection({ kubeconfig });
  let kills = 0;
  const follow = async (namespace: string, i: number) => {
    // They do not all come due at the same instants.
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS * i / cronJobs));
    const created = Date.parse(await createCronJob(client, { namespace, neverTwice }));
    // Half of them keep no name for longer than the status asks for: that alone has to do.
    const options = { namespace, holdMs: i % 2 === 0 ? holdMsOf(undefined) : 0 };
    for (let life = i; kills < most; life++) {
      const kill = life % 2 === 0 ? "after the creation" : "before the status";
      const controller = new AbandonedController({ ...options, client: HttpKubeClient.to(connection), kill });
      await deleteAsStarted(client, { namespace, name: await controller.killed });
      kills++;
    }
    const last = new AbandonedController({ ...options, client: HttpKubeClient.to(connection) });
    const until = Date.now();
    await eventually("all that was due is recorded", async () => await recordedUntil(client, namespace) > until);
    await last.end();
    return { namespace, created, recorded: await recordedUntil(client, namespace) };
  };
  const ends = await Promise.all(Array.from({ length: cronJobs }, (_, i) => follow(`world-${i}`, i)));
  const slots = await slotsSince(client, resourceVersion);
  const started = new Set(slots);
  let lost = 0;
  for (const { namespace, created, recorded } of ends) {
    for (let slot = created + EVERY_MS; slot <= recorded; slot += EVERY_MS) {
      if (!started.has(`${namespace} ${slot}`)) lost++;
    }
  }
  return { kills, jobs: slots.length, doubled: slots.length - started.size, lost };
}

/** Resolves with the time of its creation. */
async function createCronJob(
  client: HttpKubeClient,
  { namespace, neverTwice }: { namespace: string; neverTwice: boolean },
): Promise<string> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  // The Jobs of the last controllers do not end, and hold back no missed run.
  const catchUp = { policy: "All" as const, maxParallel: 1_000 };
  const spec = { schedule: `@every ${EVERY_MS / 1_000}s`, catchUp, neverTwice };
  const { metadata } = await client.create(TUTORIAL.resource, cronJobOf(TUTORIAL, { name: NAME, namespace, spec }));
  return metadata.creationTimestamp;
}

/** A Job controller has said by then that the Job started, and it has no Pods. */
async function deleteAsStarted(client: HttpKubeClient, job: ObjectName): Promise<void> {
  const body = { status: { startTime: new Date().toISOString().replace(/\.\d+/, "") } };
  await client.patch(JOBS, job, { type: "merge", body }, { subresource: "status" });
  await client.delete(JOBS, job, { propagationPolicy: "Background" });
}

/** Returns until when no time waits: before newer times start, a status records which older times still wait. */
async function recordedUntil(client: HttpKubeClient, namespace: string): Promise<number> {
  const { status } = await client.get(TUTORIAL.resource, { namespace, name: NAME });
  const times = [status?.lastScheduleTime ?? "", ...status?.waiting?.map(({ after }) => after) ?? []];
  return Math.min(...times.map((time) => Date.parse(time))) || -Infinity;
}

/**
 * Returns the slot of each Job since a version, such as `a-namespace 1795757012000`. It is read from the history once all is
 * over: a watch beside so many controllers would fall behind, and be cut off.
 */
async function slotsSince(client: HttpKubeClient, resourceVersion: string): Promise<readonly string[]> {
  const last = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "last", namespace: "world-0" },
    spec: { template: POD_TEMPLATE },
  };
  const { metadata: { uid: end } } = await client.create(JOBS, last);
  const slots = new Map<string, string>();
  for await (
    const { type, object: { metadata: { uid, namespace, annotations } } } of client.watch(JOBS, { resourceVersion })
  ) {
    if (uid === end) break;
    if (type === "BOOKMARK") continue;
    slots.set(uid, `${namespace} ${Date.parse(must(annotations![TUTORIAL.scheduledTimeAnnotation]))}`);
  }
  return [...slots.values()];
}
