import { loadConnection } from "../../../src/kube/connection.ts";
import type { ConnectionConfig } from "../../../src/kube/connection_config.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import type { Unstored } from "../../../src/kube/object.ts";
import { CRON_JOBS, type CronJob, NAMESPACES } from "../../../src/kube/resource.ts";
import {
  eventually,
  NO_ENDPOINTS,
  PROGRAM,
  RunningProgram,
  Standalone,
  temporaryFolder,
} from "../../support/program.ts";

/** The controller as a process of its own, beside an API server in another one on which nothing runs the Jobs. */
export interface MeasuredController extends AsyncDisposable {
  readonly controllerPid: number;
  readonly serverPid: number;
  readonly connection: ConnectionConfig;
  readonly client: HttpKubeClient;
}

export async function startMeasuredController(
  options: { controllerFlags: readonly string[]; serverFlags?: readonly string[] },
): Promise<MeasuredController> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const serverFlags = ["--controllers", "gc", "--log-level", "warning", ...options.serverFlags ?? []];
  const { kubeconfig, program: server } = stack.use(await Standalone.start(`${folder.path}/data`, serverFlags));
  const flags = ["--kubeconfig", kubeconfig, "--api", "batch/v1", ...NO_ENDPOINTS, ...options.controllerFlags];
  // Its output goes into a file: a pipe that this process is too busy to empty would hold it up.
  const log = `${folder.path}/controller.log`;
  const command = ["sh", "-c", `exec "$@" >${log} 2>&1`, "sh", ...PROGRAM, "controller", ...flags];
  const controller = stack.use(new RunningProgram(command));
  const said = () => Deno.readTextFile(log).catch(() => "");
  await eventually("the controller is at work", async () => (await said()).includes("Reconciling"));
  const connection = await loadConnection({ kubeconfig });
  const client = stack.use(HttpKubeClient.to(connection));
  const parts = stack.move();
  return {
    controllerPid: controller.pid,
    serverPid: server.pid,
    connection,
    client,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** What a process has used so far, from the kernel. */
export function usageOf(pid: number): Usage {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const [user = NaN, system = NaN] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const mebibytes = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)![1]) / 1024;
  return { cpuSeconds: (user + system) / 100, residentMiB: mebibytes("VmRSS"), peakMiB: mebibytes("VmHWM") };
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
    const cronJob = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: `cronjob-${i}`, namespace: `bench-${i % namespaces}` },
      spec: { schedule, jobTemplate: { spec: JOB_SPEC }, ...(i % 2 === 1 && half) },
    };
    await client.create(CRON_JOBS, cronJob as Unstored<CronJob>, { lane: "run" });
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

async function inParallel(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < count) await work(next++);
  }));
}
