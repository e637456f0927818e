// How long nothing starts when a leader gives its lease back, with many CronJobs and Jobs in the caches. The API server and
// the two controllers are processes of their own; a few CronJobs are due each second, all the others never.
//
//   deno run -A tests/bench/hand_over_bench.ts [CRON_JOBS] [JOBS_EACH] [HAND_OVERS]
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { Watcher } from "../../src/runtime/watcher.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { completedAt } from "../support/ended_job.ts";
import { atLeast, must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { Replica } from "../support/replica.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { inParallel } from "./support/in_parallel.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { jobOf } from "../support/job.ts";

const [CRON_JOBS = 1_000, JOBS_EACH = 3, HAND_OVERS = 5] = Deno.args.map(Number);
const DUE_EACH_SECOND = 10;
const NAMESPACE = "default";

const podTemplate = {
  spec: {
    restartPolicy: "Never",
    containers: [{
      name: "main",
      image: "registry.example.com/team/report:1.2.3",
      command: ["sh", "-c", "report --all"],
      env: Array.from({ length: 10 }, (_, i) => ({ name: `SETTING_${i}`, value: `value ${i} of a usual length` })),
      resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    }],
  },
};

await using folder = await temporaryFolder();
await using server = await ApiServerProcess.start({ dataDir: folder.path });
const { client } = server;
await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);

function createCronJob(name: string, schedule: string): Promise<CronJobObject> {
  const spec = { schedule, jobTemplate: { spec: { template: podTemplate } } };
  return client.create(TUTORIAL.resource, cronJobOf(TUTORIAL, { name, namespace: NAMESPACE, spec }));
}

async function createFinishedJob(owner: CronJobObject, number: number): Promise<void> {
  const time = new Date(Date.UTC(2026, 0, 1, number)).toISOString().replace(".000", "");
  const annotations = { [TUTORIAL.scheduledTimeAnnotation]: time };
  const named = { name: `${owner.metadata.name}-${number}`, namespace: NAMESPACE };
  const job = await client.create(JOBS, jobOf({ ...named, annotations, owner, spec: { template: podTemplate } }));
  const body = { status: completedAt(time) };
  await client.patch(JOBS, job.metadata, { type: "merge", body }, { subresource: "status" });
}

await inParallel(CRON_JOBS, 32, async (i) => {
  const cronJob = await createCronJob(`idle-${i}`, `${i % 60} ${i % 24} 1 1 *`);
  for (let number = 0; number < JOBS_EACH; number++) await createFinishedJob(cronJob, number);
});
for (let i = 0; i < DUE_EACH_SECOND; i++) await createCronJob(`due-${i}`, "@every 1s");

/** How late each run was seen, and when. */
const runs: { at: number; delayMs: number }[] = [];
const stop = new AbortController();
const watching = (async () => {
  const watcher = new Watcher<Job>({ client, clock: new SystemClock(), resource: JOBS });
  for await (const event of watcher.events(stop.signal)) {
    if (event.type !== "Apply" || !event.object.metadata.name.startsWith("due-") || event.object.status?.startTime) {
      continue;
    }
    const slot = Date.parse(must(event.object.metadata.annotations![TUTORIAL.scheduledTimeAnnotation]));
    runs.push({ at: Date.now(), delayMs: Date.now() - slot });
  }
})();

const rows: Record<string, number>[] = [];
{
  const { kubeconfigPath: kubeconfig } = server.address;
  await using replicas = new AsyncDisposableStack();
  const startReplica = () => {
    const replica = new Replica({ kubeconfig, namespace: NAMESPACE });
    replicas.use(replica.program);
    return replica;
  };
  let leader = startReplica();
  await leader.program.waitFor(/Took over/);
  for (let i = 0; i < HAND_OVERS; i++) {
    const standby = startReplica();
    await standby.standsBy();
    // Anywhere between two seconds: what is due meanwhile waits for less or more of the hand-over.
    await new Promise((resolve) => setTimeout(resolve, 2_000 + 1_000 * (i / HAND_OVERS)));
    const from = Date.now();
    const afterMs = async (pattern: RegExp) => {
      await standby.program.waitFor(pattern);
      return Date.now() - from;
    };
    const ended = leader.program.end("SIGTERM");
    const [leadsAfterMs, worksAfterMs] = atLeast(2, await Promise.all([/Became leader/, /Took over/].map(afterMs)));
    await ended;
    leader = standby;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const late = runs.filter(({ at }) => at > from && at < from + 2_500).map(({ delayMs }) => delayMs);
    rows.push({
      "leads after (ms)": leadsAfterMs,
      "at work after (ms)": worksAfterMs,
      "latest run that was due meanwhile (ms)": Math.max(...late),
    });
  }
}
stop.abort();
await watching;
console.log(
  `${CRON_JOBS} CronJobs, ${CRON_JOBS * JOBS_EACH} Jobs, ${DUE_EACH_SECOND} runs a second; a leader is told to end:`,
);
console.table(rows);
