import { type AskedRun, recordOf, whyNoJob } from "../../actions/asked_run.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import { failureLine } from "../../cronjob/api/failure_line.ts";
import { type Child, readJob } from "../../cronjob/api/job.ts";
import { ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import type { RunView } from "../../view/cron_job_view.ts";
import { durationMs, runOfJob } from "../../view/runs.ts";
import { distanceOf } from "../../view/times.ts";
import { runLogs } from "../logs/run.ts";
import { ClusterReader } from "../cluster/cluster_reader.ts";
import { complain } from "../print/complain.ts";
import type { ConnectionOptions } from "../flags/connection_options.ts";
import { printable } from "../../telemetry/printable.ts";
import { patiently } from "../shared/patiently.ts";
import { listenForStop, sleepUnless } from "../signals.ts";

/** Between two looks. */
const LOOK_MS = 300;
/** When it is time to say why nothing happens, each time. */
const PATIENCE_MS = 10_000;

/** Waits for the Job of a run, prints what that writes, and leaves its outcome as exit code: 0 if it succeeded, else 1. */
export async function followRun(
  client: KubeClient,
  run: AskedRun,
  { clock, ...connection }: ConnectionOptions & { clock: Clock },
): Promise<void> {
  using stop = listenForStop();
  if (!await waitForJob(client, run, clock, stop.signal)) {
    Deno.exitCode = 1;
    return;
  }
  const { metadata: { name, namespace } } = run.cronJob;
  const { kubeconfig, context } = connection;
  try {
    await runLogs({ kubeconfig, context, name, namespace, run: run.job, follow: true, previous: false }, clock);
  } catch (error) {
    complain(firstLineOf(error));
  }
  const end = await waitForEnd(client, run, clock, stop.signal);
  console.log(end.message);
  Deno.exitCode = end.succeeded ? 0 : 1;
}

/** Resolves to whether there is a Job, or a record of one; if not, the reason was printed. */
async function waitForJob(client: KubeClient, run: AskedRun, clock: Clock, stopped: AbortSignal): Promise<boolean> {
  let lookAt = clock.monotonic() + PATIENCE_MS;
  const { metadata: { name } } = run.cronJob;
  let told: string | undefined;
  // In this order: an answered trigger without a Job has none.
  const look = async () => ({ cronJob: await cronJobOf(client, run), child: await childOf(client, run) });
  for (;;) {
    const looked = await patiently(look, { clock, stopped });
    if (!looked) return false;
    const { cronJob, child } = looked;
    if (child || recordOf(cronJob, run)) return true;
    const why = whyNoJob(cronJob, run);
    if (why !== undefined) {
      console.log(`${name} was not run: ${why}`);
      return false;
    }
    if (clock.monotonic() >= lookAt) {
      lookAt += PATIENCE_MS;
      const refusal = await patiently(() => refusalToldOf(client, run), { clock, stopped });
      const news = refusal ?? told ?? "No controller has answered yet";
      if (news !== told) complain(`${news}; the request stays if you stop waiting`);
      told = news;
    }
    await sleepUnless(stopped, clock, LOOK_MS);
  }
}

/** Returns what the newest Event says of why its Job could not be created; of many alike, not each is reported. */
async function refusalToldOf(client: KubeClient, { cronJob, job }: AskedRun): Promise<string | undefined> {
  const { namespace, name, uid } = cronJob.metadata;
  const events = await new ClusterReader(client, { namespace }).eventsAbout(name, []);
  const refusals = events?.filter(({ regardingUid, reason }) => regardingUid === uid && reason === "FailedCreate") ??
    [];
  const own = refusals.findLast(({ message }) => message.includes(job));
  if (own) return own.message;
  const other = refusals.at(-1);
  return other && `There is no trace of this run yet, and another one of it was refused: ${other.message}`;
}

async function cronJobOf(client: KubeClient, { cronJob: { flavour, metadata } }: AskedRun): Promise<CronJob> {
  const { namespace, name } = metadata;
  return readCronJob(flavour, withType(flavour, await client.get(flavour.resource, { namespace, name })));
}

/** Returns the Job of the run; undefined where it isn't there. */
async function childOf(client: KubeClient, { cronJob, job: name }: AskedRun): Promise<Child | undefined> {
  const { flavour, metadata: { namespace } } = cronJob;
  const job = await client.get(JOBS, { namespace, name }).catch(ignoreNotFound);
  return job && readJob([flavour], job);
}

async function waitForEnd(
  client: KubeClient,
  asked: AskedRun,
  clock: Clock,
  stopped: AbortSignal,
): Promise<{ succeeded: boolean; message: string }> {
  const look = async () => {
    const child = await childOf(client, asked);
    return { run: child ? runOfJob(child, false) : recordOf(await cronJobOf(client, asked), asked) };
  };
  for (;;) {
    const looked = await patiently(look, { clock, stopped });
    if (!looked) return { succeeded: false, message: `${asked.job} goes on` };
    if (looked.run?.outcome !== "Running") return endOf(asked.job, looked.run);
    await sleepUnless(stopped, clock, LOOK_MS);
  }
}

function endOf(job: string, run: RunView | undefined) {
  if (run === undefined || run.outcome === "Unknown") {
    return { succeeded: false, message: `${job} is gone: ${run?.reason ?? "no record says how it ended"}` };
  }
  const { outcome, reason } = run;
  const ms = durationMs(run);
  const took = ms === undefined ? "" : ` after ${distanceOf(0, ms)}`;
  const why = outcome === "Failed" ? failureLine(run) : reason;
  const said = [`${job} ${outcome.toLowerCase()}${took}`, why].filter((text) => text !== undefined);
  return { succeeded: outcome === "Succeeded", message: said.map(printable).join(": ") };
}
