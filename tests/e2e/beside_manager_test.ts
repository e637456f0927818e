// The program with its defaults beside the manager that the Kubebuilder tutorial builds.
import { assertEquals, assertRejects } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { Unstored } from "../../src/kube/object.ts";
import type { HttpKubeClient } from "../../src/kube/http_client.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { EVERY_SECOND } from "../support/every_second.ts";
import { atLeast, must } from "../support/expected.ts";
import { eventually, NO_ENDPOINTS, PROGRAM, RunningProgram } from "../support/program.ts";
import { test } from "../support/test.ts";

const SCHEDULED_AT = "batch.tutorial.kubebuilder.io/scheduled-at";

/** A Job as the tutorial's `constructJobForCronJob` makes it. */
function jobOfManager({ metadata, spec }: CronJobObject, unixSeconds: number): Unstored<Job> {
  const { name, namespace = "default", uid } = metadata;
  const { apiVersion, kind } = EVERY_SECOND;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${name}-${unixSeconds}`,
      namespace,
      labels: { "made-by": "the-manager" },
      annotations: { [SCHEDULED_AT]: new Date(unixSeconds * 1_000).toISOString().replace(".000Z", "Z") },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: must(spec.jobTemplate.spec),
  };
}

async function jobsIn(client: HttpKubeClient): Promise<{ time: number; isOfManager: boolean }[]> {
  const { items } = await client.list(JOBS, { namespace: "default" });
  return items.map(({ metadata: { annotations, labels } }) => ({
    time: Date.parse(annotations![SCHEDULED_AT]!) / 1_000,
    isOfManager: labels?.["made-by"] !== undefined,
  }));
}

test("beside the tutorial's own manager no scheduled time runs twice, whichever is first", async () => {
  await using api = await startTestApiServer();
  const { client } = api;
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const cronJob = await client.create(TUTORIAL.resource, EVERY_SECOND as Unstored<CronJobObject>);
  // The manager is first with the times of the next seconds.
  const begin = Math.ceil(Date.now() / 1_000) + 1;
  const early = Array.from({ length: 15 }, (_, index) => begin + index);
  for (const time of early) await client.create(JOBS, jobOfManager(cronJob, time));

  const { kubeconfigPath } = api.server;
  await using program = new RunningProgram([...PROGRAM, "controller", "--kubeconfig", kubeconfigPath, ...NO_ENDPOINTS]);
  const last = early.at(-1)!;
  await eventually("times after those of the manager run", async () => {
    const later = (await jobsIn(client)).filter(({ time }) => time > last);
    return later.length >= 3;
  });
  const jobs = await jobsIn(client);
  const [ours] = atLeast(1, jobs.filter(({ isOfManager }) => !isOfManager));
  await assertRejects(() => client.create(JOBS, jobOfManager(cronJob, ours.time)), ApiError, "already exists");
  assertEquals((await program.end("SIGTERM")).code, 0, program.output);

  const all = await jobsIn(client);
  assertEquals(new Set(all.map(({ time }) => time)).size, all.length, "a time has two Jobs");
  assertEquals(all.filter(({ time }) => early.includes(time)).every(({ isOfManager }) => isOfManager), true);
});
