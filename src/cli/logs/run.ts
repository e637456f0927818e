import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { ObjectName } from "../../kube/object.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { failureLine } from "../../cronjob/api/failure_line.ts";
import { printable } from "../../telemetry/printable.ts";
import { type KeptRun, lastLogs } from "../../view/kept_runs.ts";
import type { ViewInput } from "../../view/look.ts";
import { isOver, podsOfRun } from "../../view/run_pods.ts";
import { complain, Complaints } from "../print/complain.ts";
import { keptLogOf } from "../cluster/kept_history.ts";
import { readNamed } from "../cluster/read_cron_jobs.ts";
import { withCluster } from "../cluster/with_cluster.ts";
import { patiently } from "../shared/patiently.ts";
import { listenForStop, sleepUnless } from "../signals.ts";
import { runMeant, type RunOfJob, runsAskedBy } from "./chosen_run.ts";
import { type Container, containersWithLogs } from "../../view/containers.ts";
import { ContainerLog } from "../../view/container_log.ts";
import type { PodLogOptions } from "../../view/pod_log.ts";
import { prefixOf, waitOf } from "./words.ts";
import type { LogsOptions } from "./options.ts";

/** Between two looks for Pods that a run has started meanwhile. */
const LOOK_MS = 1_000;

/** Prints what the Pods of a run wrote; with `follow`, until the run has ended or the command is stopped. */
export async function runLogs(options: LogsOptions, clock: Clock): Promise<void> {
  await withCluster(options, "logs", async (client, place) => {
    const asked = (input: ViewInput) => runsAskedBy(input, options.run);
    const reading = { now: clock.now(), controllers: await place.controllers(clock), asked };
    using stop = listenForStop();
    const read = () => readNamed(client, place, options.name, reading);
    const inputs = options.follow ? await patiently(read, { clock, stopped: stop.signal }) : await read();
    if (!inputs) return;
    const run = runMeant(inputs, options.run);
    const job = { namespace: place.namespace, name: run.job };
    const isRead = await printLogs(client, job, { ...options, clock, signal: stop.signal }) ||
      await printKeptLogs(client, inputs[0]?.kept ?? [], { ...options, job: job.name, signal: stop.signal });
    if (!isRead && !stop.signal.aborted) await printEnd(client, job, { ...options, run });
  });
}

/** Returns whether there was anything to be read. With `follow`, until the run has ended. */
async function printLogs(
  client: KubeClient,
  job: ObjectName,
  options: LogsOptions & { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const { clock, signal, follow, previous } = options;
  const { namespace } = job;
  const logs = new Map<string, ContainerLog>();
  const complaints = new Complaints();
  const look = async () => ({
    isLastLook: !follow || isOver(await jobOf(client, job)),
    pods: await podsOfRun(client, job),
  });
  for (;;) {
    const looked = follow ? await patiently(look, { clock, stopped: signal }) : await look();
    if (!looked) break;
    const { isLastLook, pods } = looked;
    for (const wait of pods.flatMap((pod) => waitOf(pod) ?? [])) complaints.once(wait);
    const containers = pods.flatMap(containersWithLogs).filter(({ hasPrevious }) => hasPrevious || !previous);
    for (const container of containers) {
      const prefix = prefixOf(container, containers, pods.length);
      const log = logs.get(container.start) ?? new ContainerLog({
        ...options,
        client,
        namespace,
        onLine: (text) => console.log(prefix + text),
        // A container that cannot be read holds nothing of the others back.
        onTrouble: (error, isFinal) => {
          complaints.once(complaintOf(container, namespace, error));
          if (isFinal) Deno.exitCode = 1;
        },
      });
      logs.set(container.start, log);
      log.readOn(container, isLastLook);
      // One after the other, unless they are followed.
      if (!follow) await log.reading;
    }
    if (isLastLook) await Promise.all(Array.from(logs.values(), ({ reading }) => reading));
    const isRead = isLastLook && containers.every(({ start }) => logs.get(start)?.isComplete);
    if (isRead || !follow || signal.aborted) break;
    await sleepUnless(signal, clock, LOOK_MS);
  }
  return logs.size > 0;
}

/** Prints what is remembered of what a Job that is gone wrote. Returns whether there was anything. */
async function printKeptLogs(
  client: KubeClient,
  kept: readonly KeptRun[],
  { job, previous, tail, signal }: Pick<PodLogOptions, "previous" | "tail" | "signal"> & { readonly job: string },
): Promise<boolean> {
  const logs = lastLogs(kept, { job, previous }).map((log) => ({ ...log, name: log.container }));
  const pods = new Set(logs.map(({ pod }) => pod)).size;
  for (const log of logs) await print(keptLogOf(client, log, { tail, signal }), prefixOf(log, logs, pods));
  return logs.length > 0;
}

/**
 * Prints what is known of how a run ended whose Job is gone.
 *
 * @throws {Error} that says why there is nothing to be read
 */
async function printEnd(
  client: KubeClient,
  job: ObjectName,
  { name: cronJob, previous, tail = Infinity, run }: Omit<LogsOptions, "run"> & { readonly run: RunOfJob },
): Promise<void> {
  if (previous) throw new Error(`No container of the run ${job.name} was started again: leave --previous out`);
  const remedy = `explain ${cronJob} --job ${job.name} -n ${job.namespace} says what is known of it`;
  if (await jobOf(client, job) !== undefined) {
    throw new Error(`The run ${job.name} has no Pod whose output could be read: ${remedy}`);
  }
  const { terminated, reason, message } = run;
  const said = terminated?.message;
  const end = said ?? failureLine({ reason, message });
  if (end === failureLine({ reason })) {
    throw new Error(`The Job ${job.name} is gone, and what it wrote with it: ${remedy}`);
  }
  const title = said === undefined ? "How it ended" : "The last lines of its termination message";
  complain(`The Pods of ${job.name} are gone. ${title}:`);
  const lines = end.trimEnd().split("\n");
  for (const line of lines.slice(Math.max(0, lines.length - tail))) console.log(printable(line));
}

/** By a list, as that is what the CronJob's Jobs were found by: who may list may not always get. */
async function jobOf(client: KubeClient, { namespace, name }: ObjectName): Promise<Job | undefined> {
  const { items: [job] } = await client.list(JOBS, { namespace, fieldSelector: `metadata.name=${name}` });
  return job;
}

function complaintOf({ pod, name, startError }: Container, namespace: string | undefined, error: unknown): string {
  if (error instanceof ApiError && error.isForbidden) return `You may not read logs of Pods in namespace ${namespace}`;
  if (error instanceof ApiError && error.isNotFound) return `Cannot read the log of ${pod}/${name}: the Pod is gone`;
  if (startError !== undefined) return `Container ${name} of Pod ${pod} could not be started: ${startError}`;
  // The server's own words: which request it was is said already.
  const reason = error instanceof ApiError ? error.status?.message : undefined;
  return `Cannot read the log of ${pod}/${name}: ${reason ?? firstLineOf(error)}`;
}

async function print(lines: AsyncIterable<string>, prefix: string): Promise<void> {
  for await (const line of lines) console.log(prefix + line);
}
