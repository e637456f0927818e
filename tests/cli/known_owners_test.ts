import { assertEquals } from "@std/assert";
import { jobCachesFor } from "../../src/cli/shared/job_caches.ts";
import { knownOwners } from "../../src/cli/standalone/known_owners.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import { JobController } from "../../src/job/controller.ts";
import { createKubeClient } from "../../src/kube/http_client.ts";
import { CRON_JOBS, type Job, JOBS, PODS } from "../../src/kube/resource.ts";
import { type OwnerReference, RUNTIME_ANNOTATION } from "../../src/kubelet/runtimes.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { Manager } from "../../src/runtime/manager.ts";
import { must } from "../support/expected.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { TestKubelet, until } from "../kubelet/support/test_kubelet.ts";
import { test } from "../support/test.ts";

const RECORDER = { record: () => {} };

test("The kubelet asks for no owner that a controller of its process knows, and heeds what it says", async () => {
  await using api = await startTestApiServer();
  const { client } = api;
  const { url, caCertificate, token } = api.server;
  const requests: string[] = [];
  const onRequest = ({ verb, resource }: { verb: string; resource: string }) =>
    void requests.push(`${verb} ${resource}`);
  await using counted = createKubeClient({ server: url, caCertificates: [caCertificate], token }, {
    observer: { onRequest },
  });
  const clock = new SystemClock();
  const caches = jobCachesFor({ client, clock, flavours: [BATCH], runsJobs: true });
  const jobs = must(caches.ofJobs);
  const cronJobs = new CronJobController({
    client,
    clock,
    flavour: BATCH,
    jobs: caches.ofCronJobs,
    recorder: RECORDER,
  });
  const jobController = new JobController({ client, clock, jobs, recorder: RECORDER, mode: "all" });
  const end = new AbortController();
  const running = new Manager({ clock }).add(jobController).add(cronJobs).run(end.signal);
  const kubelet = new TestKubelet(api, { client: counted, knownOwner: knownOwners({ jobs, followed: [cronJobs] }) });
  try {
    await Promise.all([kubelet.kubelet.ready(), cronJobs.ready(), jobController.ready()]);
    const template = {
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command: ["true"] }] },
    };
    const run = async (name: string, runtime: string | undefined): Promise<Job> => {
      const annotations = runtime === undefined ? undefined : { [RUNTIME_ANNOTATION]: runtime };
      const { metadata: { uid } } = await client.create(CRON_JOBS, {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name, namespace: "default", annotations },
        spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: { template } } },
      });
      await until(() => cronJobs.cronJobs.store.get(`default/${name}`));
      const ownerReferences = [{ apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true }];
      await client.create(JOBS, {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name, namespace: "default", ownerReferences },
        spec: { backoffLimit: 0, template },
      });
      return await until(async () => {
        const job = await client.get(JOBS, { name, namespace: "default" });
        return job.status?.conditions?.some(({ type }) => type === "Complete" || type === "Failed") && job;
      });
    };
    assertEquals((await run("plain", undefined)).status?.succeeded, 1);
    assertEquals((await run("asks", "podman")).status?.failed, 1);
    assertEquals(kubelet.reasons(), ["NotAllowed"]);
    assertEquals(requests.filter((request) => request === "get jobs" || request === "get cronjobs"), []);
    assertEquals((await client.list(PODS, { namespace: "default" })).items.length, 2);
  } finally {
    await kubelet.stop();
    end.abort();
    await running;
  }
});

test("An owner is known by its kind and uid, and only while its cache is followed", () => {
  const objectOf = (uid: string) => ({ metadata: { name: "a", namespace: "ns", uid, resourceVersion: "1" } });
  const cacheOf = (uid: string, connected = true) => {
    const object = objectOf(uid);
    return { connected, store: { get: (key: string) => key === "ns/a" ? object : undefined } };
  };
  const parts = { jobs: cacheOf("job"), followed: [{ flavour: BATCH, cronJobs: cacheOf("cron") }] };
  const known = (changed: Partial<Parameters<typeof knownOwners>[0]>, reference: Partial<OwnerReference>) => {
    const owner = knownOwners({ ...parts, ...changed })(
      { apiVersion: "batch/v1", kind: "Job", name: "a", uid: "job", ...reference },
      "ns",
    );
    return owner !== undefined;
  };
  assertEquals(known({}, {}), true);
  assertEquals(known({}, { kind: "CronJob", uid: "cron" }), true);
  assertEquals(known({}, { uid: "former" }), false);
  assertEquals(known({}, { name: "b" }), false);
  assertEquals(known({}, { apiVersion: "example.com/v1" }), false);
  assertEquals(known({}, { kind: "CronJob", uid: "cron", apiVersion: "example.com/v1" }), false);
  assertEquals(known({ jobs: cacheOf("job", false) }, {}), false);
  assertEquals(known({ jobs: undefined }, {}), false);
});
