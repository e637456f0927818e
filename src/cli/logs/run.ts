import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Job, JOBS, pathOf, type Pod, PODS } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { RunView } from "../../view/cron_job_view.ts";
import { lookAt, type ViewInput } from "../../view/look.ts";
import { zoneOf } from "../../view/zone.ts";
import { ConfigError } from "../errors.ts";
import { JOB_NAME_LABEL } from "../shared/cluster_reader.ts";
import type { ConnectionOptions } from "../shared/connection_options.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { printable } from "../shared/printable.ts";
import { readNamedRuns } from "../shared/read_cron_jobs.ts";
import { withCluster } from "../shared/with_cluster.ts";
import { listenForStop } from "../signals.ts";
import { type Container, containersWithLogs, waitOf } from "./containers.ts";

/** What the command line of `logs` says. */
export interface LogsOptions extends ConnectionOptions {
  name: string;
  namespace?: string;
  run: string;
  follow: boolean;
  tail?: number;
  previous: boolean;
}

/** Between two looks for Pods that a run has started meanwhile. */
const LOOK_MS = 1_000;

export async function runLogs(options: LogsOptions, clock: Clock): Promise<void> {
  await withCluster(options, "logs", async (client, { namespace }) => {
    const inputs = await readNamedRuns(client, { namespace, name: options.name }, clock.now());
    const job = jobAskedFor(inputs, options);
    using stop = listenForStop();
    const read = new Map<string, Promise<void>>();
    const waits = new Set<string>();
    for (;;) {
      const isOver = !options.follow || await hasEnded(client, { namespace, name: job });
      const pods = await podsOf(client, { namespace, job });
      for (const wait of pods.flatMap((pod) => waitOf(pod) ?? [])) {
        if (!waits.has(wait)) console.error(`cronjob-controller: ${printable(wait)}`);
        waits.add(wait);
      }
      const containers = pods.flatMap(containersWithLogs);
      for (const container of containers) {
        const key = `${container.pod}/${container.name}/${container.start}`;
        if (read.has(key)) continue;
        const prefix = prefixOf(container, { pods, all: containers });
        const lines = logOf(client, container, { ...options, namespace, signal: stop.signal });
        read.set(key, print(lines, prefix).catch((error) => complain(container, error, stop.signal)));
        // One after the other, unless they are followed.
        if (!options.follow) await read.get(key);
      }
      if (isOver || stop.signal.aborted) break;
      await clock.sleep(LOOK_MS, stop.signal).catch(() => {/* it was asked to stop */});
    }
    await Promise.all(read.values());
    if (read.size === 0) throw new Error(`The run ${job} has no Pod whose output could be read`);
  });
}

/** @throws {ConfigError} where no run is meant that has a Job */
function jobAskedFor(inputs: readonly ViewInput[], { name, run: asked }: LogsOptions): string {
  const runs = inputs.flatMap((input) => lookAt(input).runs.filter(({ job }) => job !== undefined));
  const found = runs.find(({ job }) => job === asked) ?? runs.find(chooserOf(inputs[0], asked));
  if (found?.job !== undefined) return found.job;
  throw new Error(asked === "last" ? `${name} has no run with a Job` : `${name} has no run ${asked} with a Job`);
}

function chooserOf({ cronJob, now }: ViewInput, asked: string): (run: RunView) => boolean {
  if (asked === "last") return () => true;
  if (asked === "failed") return ({ outcome }) => outcome === "Failed";
  if (asked.startsWith(`${cronJob.metadata.name}-`)) return () => false;
  try {
    const { at } = readPeopleTime(asked, "--run", { now, zone: zoneOf(cronJob), towards: "past" });
    return ({ scheduledTime }) => scheduledTime === at;
  } catch (cause) {
    const message =
      `--run must be last, failed, a Job's name or a time such as 02:00 or 'Mon 02:00', current value is ${asked}`;
    throw new ConfigError(message, { cause });
  }
}

async function hasEnded(client: KubeClient, name: { namespace: string; name: string }): Promise<boolean> {
  try {
    const job: Job = await client.get(JOBS, name);
    const ends = ["Complete", "Failed"];
    return job.status?.conditions?.some(({ type, status }) => ends.includes(type) && status === "True") ?? false;
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) return true;
    throw error;
  }
}

async function podsOf(client: KubeClient, { namespace, job }: { namespace: string; job: string }): Promise<Pod[]> {
  const { items } = await client.list(PODS, { namespace, labelSelector: `${JOB_NAME_LABEL}=${job}` });
  return items.sort((a, b) => a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);
}

function prefixOf(
  { pod, name }: Container,
  { pods, all }: { pods: readonly Pod[]; all: readonly Container[] },
): string {
  const hasSeveral = all.some((other) => other.pod === pod && other.name !== name);
  if (hasSeveral) return `${pod}/${name} | `;
  return pods.length > 1 ? `${pod} | ` : "";
}

async function* logOf(
  client: KubeClient,
  { pod, name }: Container,
  { namespace, follow, tail, previous, signal }: LogsOptions & { namespace: string; signal: AbortSignal },
): AsyncGenerator<string> {
  const query = new URLSearchParams({ container: name });
  if (follow) query.set("follow", "true");
  if (tail !== undefined) query.set("tailLines", String(tail));
  if (previous) query.set("previous", "true");
  const response = await client.raw(`${pathOf(PODS, namespace, pod, "log")}?${query}`, { signal });
  // No node has the Pod.
  if (!response.body) return;
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** What one container does not tell keeps nothing of the others back. */
function complain({ pod, name }: Container, error: unknown, stopped: AbortSignal): void {
  if (stopped.aborted) return;
  console.error(`cronjob-controller: Cannot read the log of ${pod}/${name}: ${messageOf(error).split("\n")[0]}`);
  Deno.exitCode = 1;
}

async function print(lines: AsyncIterable<string>, prefix: string): Promise<void> {
  for await (const line of lines) console.log(prefix + line);
}
