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
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import { cronJobOf } from "../../support/cron_job.ts";

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

export async function startMeasuredServer(flags: readonly string[] = []): Promise<MeasuredServer> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const serverFlags = ["--controllers", "gc", "--log-level", "warning", ...flags];
  const { kubeconfig, program: { pid } } = stack.use(await Standalone.start(`${folder.path}/data`, serverFlags));
  await pinTo(SERVER_CORE, pid);
  const connection = await loadConnection({ kubeconfig });
  const client = stack.use(HttpKubeClient.to(connection));
  const parts = stack.move();
  return { serverPid: pid, kubeconfig, connection, client, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Starts the controller of `batch/v1`, and waits for these words of its log. */
export async function startController(
  { kubeconfig, flags, program = PROGRAM, ready = "Reconciling" }: {
    readonly kubeconfig: string;
    readonly flags: readonly string[];
    readonly program?: readonly string[];
    readonly ready?: string;
  },
): Promise<{ readonly pid: number; readonly log: () => Promise<string> } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  // Its output goes into a file: a pipe that this process is too busy to empty would hold it up.
  const path = `${folder.path}/controller.log`;
  const own = ["--kubeconfig", kubeconfig, "--api", "batch/v1", ...NO_ENDPOINTS, ...flags];
  const command = ["sh", "-c", `exec "$@" >${path} 2>&1`, "sh", ...program, "controller", ...own];
  const { pid } = stack.use(new RunningProgram(command));
  await pinTo(CONTROLLER_CORE, pid);
  const log = () => Deno.readTextFile(path).catch(() => "");
  await eventually("the controller is at work", async () => (await log()).includes(ready), START_MS);
  const parts = stack.move();
  return { pid, log, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function startMeasuredController(
  options: { controllerFlags: readonly string[]; serverFlags?: readonly string[] },
): Promise<MeasuredController> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startMeasuredServer(options.serverFlags));
  const { kubeconfig } = server;
  const { pid } = stack.use(await startController({ kubeconfig, flags: options.controllerFlags }));
  const parts = stack.move();
  return { ...server, controllerPid: pid, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** The controller has a core without the server, where there are two. This process takes what is free. */
const [SERVER_CORE, CONTROLLER_CORE] = [0, 1];

async function pinTo(core: number, pid: number): Promise<void> {
  if (navigator.hardwareConcurrency < 2) return;
  const args = ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)];
  const { success, stderr } = await new Deno.Command("taskset", { args, stdout: "null" }).output();
  if (!success) throw new Error(`Cannot pin the process ${pid}: ${new TextDecoder().decode(stderr)}`);
}

/** Many objects are listed before. */
const START_MS = 600_000;

export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

/** What a process has used so far, from the kernel; memory in millions of bytes. */
export function usageOf(pid: number): Usage {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const [user = NaN, system = NaN] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const megabytes = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)![1]) * 0.001024;
  return { cpuSeconds: (user + system) / 100, residentMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
}

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
  const client = Deno.createHttpClient({ caCerts: [...caCertificates], http2: false });
  const headers = { "content-type": "application/json", ...(await credentials?.current())?.headers };
  const url = `${server}/apis/batch/v1/namespaces/default/jobs`;
  const began = performance.now();
  const answeredMs: number[] = [];
  await inParallel(count, 64, async (i) => {
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: `bare-${i}` }, spec: JOB_SPEC };
    const response = await fetch(url, { method: "POST", client, headers, body: JSON.stringify(job) });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot create the Job bare-${i}: ${response.status} ${text}`);
    answeredMs.push(performance.now() - began);
  });
  client.close();
  return answeredMs;
}
