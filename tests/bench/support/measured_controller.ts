import { outputOf } from "../../../deploy/binary/support.ts";
import { loadConnection } from "../../../src/kube/connection.ts";
import type { ConnectionConfig } from "../../../src/kube/connection_config.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { NAMESPACES } from "../../../src/kube/resource.ts";
import { inParallel } from "./in_parallel.ts";
import {
  eventually,
  NO_ENDPOINTS,
  PROGRAM,
  RunningProgram,
  Standalone,
  temporaryFolder,
} from "../../support/program.ts";
import { BATCH, type Flavour } from "../../../src/cronjob/api/flavour.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { jobOf } from "../../support/job.ts";

/** An API server in a process of its own, on which nothing runs the Jobs. */
export interface MeasuredServer extends AsyncDisposable {
  readonly serverPid: number;
  readonly kubeconfig: string;
  readonly connection: ConnectionConfig;
  readonly client: HttpKubeClient;
}

/** The controller in another process, beside it. */
export interface MeasuredController extends MeasuredServer {
  readonly controllerPid: number;
}

export async function startMeasuredServer(): Promise<MeasuredServer> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const serverFlags = ["--controllers", "gc", "--log-level", "warning"];
  const { kubeconfig, program: { pid } } = stack.use(await Standalone.start(`${folder.path}/data`, serverFlags));
  await pinTo(SERVER_CORE, pid);
  const connection = await loadConnection({ kubeconfig });
  const client = stack.use(HttpKubeClient.to(connection));
  const parts = stack.move();
  return { serverPid: pid, kubeconfig, connection, client, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Starts the controller of an API, and waits for these words of its log. */
export async function startController(
  { kubeconfig, flags, api = BATCH, program = PROGRAM, ready = "Reconciling" }: {
    readonly kubeconfig: string;
    readonly flags: readonly string[];
    readonly api?: Flavour;
    readonly program?: readonly string[];
    readonly ready?: string;
  },
): Promise<{ readonly pid: number } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  // Its output goes into a file: a pipe that this process is too busy to empty would hold it up.
  const path = `${folder.path}/controller.log`;
  const own = ["--kubeconfig", kubeconfig, "--api", api.apiVersion, ...NO_ENDPOINTS, ...flags];
  const command = ["sh", "-c", `exec "$@" >${path} 2>&1`, "sh", ...program, "controller", ...own];
  const { pid } = stack.use(new RunningProgram(command));
  await pinTo(CONTROLLER_CORE, pid);
  const log = () => Deno.readTextFile(path).catch(() => "");
  await eventually("the controller is at work", async () => (await log()).includes(ready), START_MS);
  const parts = stack.move();
  return { pid, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function startMeasuredController(
  options: { controllerFlags: readonly string[] },
): Promise<MeasuredController> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startMeasuredServer());
  const { kubeconfig } = server;
  const { pid } = stack.use(await startController({ kubeconfig, flags: options.controllerFlags }));
  const parts = stack.move();
  return { ...server, controllerPid: pid, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** The controller has a core without the server, where there are two. This process takes what is free. */
const [SERVER_CORE, CONTROLLER_CORE] = [0, 1];

async function pinTo(core: number, pid: number): Promise<void> {
  if (navigator.hardwareConcurrency < 2) return;
  await outputOf("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)]);
}

/** Many objects are listed before. */
const START_MS = 600_000;

export const JOB_SPEC = {
  backoffLimit: 0,
  template: {
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "date"] }],
    },
  },
};

/** Creates CronJobs, spread over namespaces `bench-0`, `bench-1` …; `half` is merged into every other spec. */
export async function createCronJobs(
  client: HttpKubeClient,
  { count, schedule, namespaces = 1, half = {} }: {
    count: number;
    schedule: string;
    namespaces?: number;
    half?: object;
  },
): Promise<void> {
  for (let i = 0; i < namespaces; i++) {
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: `bench-${i}` } });
  }
  await inParallel(count, 40, async (i) => {
    const spec = { schedule, jobTemplate: { spec: JOB_SPEC }, ...(i % 2 === 1 && half) };
    const cronJob = cronJobOf(BATCH, { name: `cronjob-${i}`, namespace: `bench-${i % namespaces}`, spec });
    await client.create(BATCH.resource, cronJob, { lane: "run" });
  });
}

/** The API server's own limit: so many Jobs, created by nothing but `fetch`, 64 in flight. When each was answered, in ms. */
export async function createBareJobs(connection: ConnectionConfig, count: number): Promise<number[]> {
  const { server, caCertificates = [], credentials } = connection;
  const headers = { ...(await credentials?.current())?.headers };
  const make = (i: number) => jobOf({ name: `bare-${i}`, spec: JOB_SPEC });
  const path = "/apis/batch/v1/namespaces/default/jobs";
  return await createByFetch({ server, caCertificates, headers }, path, { count, width: 64, make });
}

/** Creates objects by nothing but `fetch`, `width` in flight. Returns when each was answered, in ms. */
export async function createByFetch(
  { server, caCertificates, headers }: {
    readonly server: string;
    readonly caCertificates: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
  },
  path: string,
  { count, width, make }: { count: number; width: number; make: (index: number) => object },
): Promise<number[]> {
  using client = Deno.createHttpClient({ caCerts: [...caCertificates], poolMaxIdlePerHost: width, http2: false });
  const init = { method: "POST", client, headers: { ...headers, "content-type": "application/json" } };
  const began = performance.now();
  const answeredMs: number[] = [];
  await inParallel(count, width, async (i) => {
    const response = await fetch(`${server}${path}`, { ...init, body: JSON.stringify(make(i)) });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot create object ${i} at ${path}: ${response.status} ${text}`);
    answeredMs.push(performance.now() - began);
  });
  return answeredMs;
}
