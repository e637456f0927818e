// Hundreds of CronJobs that are due each minute, while a Deployment's replicas are replaced.
import { assert, assertEquals } from "@std/assert";
import { SystemClock } from "../../src/base/clock.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { MANAGED } from "../../src/cronjob/api/annotations.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { BATCH, type Flavour, PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import type { HttpKubeClient } from "../../src/kube/http_client.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { Watcher } from "../../src/runtime/watcher.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { completedAt } from "../support/ended_job.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { must } from "../support/expected.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { Replica } from "../support/replica.ts";
import { test } from "../support/test.ts";

const MINUTE_MS = 60_000;
const NAMESPACE = "default";
/** Of each API. */
const COUNT = 250;
const APIS = [PRODUCTION, BATCH];
/** Patience for a machine that runs other tests at the same time; a Pod has 30 s to end. */
const PATIENCE = [
  "--leader-elect-lease-duration=30s",
  "--leader-elect-renew-deadline=25s",
  "--shutdown-grace=25s",
];

const sleepUntil = (at: number) => new SystemClock().sleep(Math.max(0, at - Date.now()));
const nextMinute = () => (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS;

/** Keeps no Job that has ended: its name is free for a second one then. */
function cronJob(flavour: Flavour, name: string): Unstored<CronJobObject> {
  const spec = { schedule: "* * * * *", successfulJobsHistoryLimit: 0, suspend: flavour.adoptable };
  const annotations = flavour.adoptable ? { [MANAGED]: "true" } : undefined;
  return cronJobOf(flavour, { name, namespace: NAMESPACE, annotations, spec });
}

/** Sees every Job that comes to be, and ends it. */
class SeenRuns implements AsyncDisposable {
  /** The scheduled times of all Jobs by CronJob, as they came. */
  readonly times = new Map<string, number[]>();
  readonly #client: HttpKubeClient;
  readonly #seen = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(client: HttpKubeClient) {
    this.#client = client;
    this.#running = this.#follow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const clock = new SystemClock();
    const watcher = new Watcher({ client: this.#client, clock, resource: JOBS, namespace: NAMESPACE });
    const ends: Promise<unknown>[] = [];
    for await (const event of watcher.events(this.#stop.signal)) {
      if (event.type === "Error") throw event.error;
      if (event.type !== "Apply" || this.#seen.has(event.object.metadata.uid)) continue;
      this.#note(event.object);
      ends.push(this.#end(event.object));
    }
    await Promise.all(ends);
  }

  #note(job: Job): void {
    this.#seen.add(job.metadata.uid);
    const { name } = must(job.metadata.ownerReferences?.[0]);
    const flavour = must(
      APIS.find(({ scheduledTimeAnnotation }) => job.metadata.annotations?.[scheduledTimeAnnotation]),
    );
    const time = Date.parse(job.metadata.annotations![flavour.scheduledTimeAnnotation]!);
    this.times.set(name, [...this.times.get(name) ?? [], time]);
  }

  async #end({ metadata: { name, namespace } }: Job): Promise<void> {
    const patch = { type: "merge", body: { status: completedAt(formatTime(Date.now())) } } as const;
    await this.#client.patch(JOBS, { name, namespace }, patch, { subresource: "status" });
  }
}

test("500 CronJobs due each minute lose and double no run while their replicas are replaced twice", async () => {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  const { client, address: { kubeconfigPath: kubeconfig } } = server;
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  await using replicas = new AsyncDisposableStack();
  const startReplica = () => {
    const replica = new Replica({ kubeconfig, namespace: NAMESPACE, args: PATIENCE });
    replicas.use(replica.program);
    return replica;
  };
  /** As a Deployment with `maxSurge: 1` and `maxUnavailable: 0` does: the leader goes first, `offsetMs` after a minute. */
  const replaceAll = async (former: readonly Replica[], offsetMs: number) => {
    const next: Replica[] = [];
    let minute = 0;
    for (const replica of former) {
      const successor = startReplica();
      await successor.standsBy();
      if (next.length === 0) await sleepUntil((minute = nextMinute()) + offsetMs);
      await replica.program.end("SIGTERM");
      next.push(successor);
    }
    const leads = ({ program }: Replica) => /Became leader/.test(program.output);
    await eventually("a successor leads", () => Promise.resolve(next.some(leads)));
    return { minute, replicas: next.toSorted((a, b) => Number(leads(b)) - Number(leads(a))) };
  };

  await using runs = new SeenRuns(client);
  const names = APIS.flatMap((flavour) => Array.from({ length: COUNT }, (_, i) => `${flavour.controllerName}-${i}`));
  await Promise.all(
    APIS.flatMap((flavour) =>
      names.filter((name) => name.startsWith(flavour.controllerName)).map((name) =>
        client.create(flavour.resource, cronJob(flavour, name))
      )
    ),
  );
  const created = Date.now();
  const leader = startReplica();
  await leader.program.waitFor(/Became leader/);
  const standby = startReplica();
  await standby.standsBy();

  // In the midst of starting them, and right before.
  const first = await replaceAll([leader, standby], 200);
  const second = await replaceAll(first.replicas, -100);
  const minutes: number[] = [];
  for (let at = (Math.floor(created / MINUTE_MS) + 1) * MINUTE_MS; at <= second.minute; at += MINUTE_MS) {
    minutes.push(at);
  }
  const timesOf = (name: string) => (runs.times.get(name) ?? []).toSorted((a, b) => a - b);
  const judged = (name: string) => timesOf(name).filter((time) => time <= second.minute);
  await eventually("all runs", () => Promise.resolve(names.every((name) => judged(name).length >= minutes.length)));
  for (const flavour of APIS) {
    await eventually(`statuses of ${flavour.apiVersion}`, async () => {
      const { items } = await client.list(flavour.resource);
      return items.every(({ status }) => Date.parse(status?.lastScheduleTime ?? "") >= second.minute);
    });
  }
  for (const replica of second.replicas) await replica.program.end("SIGTERM");

  assert(minutes.length >= 2);
  for (const name of names) {
    const times = timesOf(name);
    assertEquals(times.length, new Set(times).size, `${name}: a time has two Jobs: ${times.map(formatTime)}`);
    assertEquals(judged(name).map(formatTime), minutes.map(formatTime), `${name}: a time has no Job`);
  }
  console.log(`${minutes.length} minutes, ${names.length} CronJobs: none lost, none doubled`);
});
