import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { controllerOf, keyOf } from "../../../src/kube/object.ts";
import { CRON_JOBS, EVENTS, JOBS } from "../../../src/kube/resource.ts";
import { parseTime } from "../../../src/base/epoch_ms.ts";
import { follow } from "./follow.ts";
import {
  createBareJobs,
  createCronJobs,
  type MeasuredController,
  startMeasuredController,
} from "./measured_controller.ts";
import { quantile } from "./statistics.ts";
import { usageOf } from "./usage.ts";

const MINUTE_MS = 60_000;
/** From so long before the minute on requests and CPU until the last start are counted. */
const BEFORE_MS = 4_000;
/** A run is armed up to a minute ahead: a minute's work begins so long before. */
const ARMED_MS = 62_000;
/** Until then a minute's work is counted, or until all runs are recorded. */
const AFTER_MS = 56_000;
const MAX_AFTER_MS = 600_000;
/** For each CronJob, so that a slow server too has them all in time. */
const CREATION_MS = 3;

export interface BurstOptions {
  readonly count: number;
  readonly namespaces: number;
  /** Of every other CronJob's spec. */
  readonly half: object;
  readonly controllerFlags: readonly string[];
  /** What else is to go on meanwhile; disposed of in the end. @default nothing */
  readonly beside?: (measured: MeasuredController) => Promise<AsyncDisposable>;
}

/** What a burst cost, under the names that the table gives them. */
export type Burst = Record<string, number>;

/** Lets CronJobs be due at one minute, and creates as many bare Jobs afterwards. Nothing runs the Jobs. */
export async function measureBurst(
  { count, namespaces, half, controllerFlags, beside }: BurstOptions,
): Promise<Burst> {
  await using measured = await startMeasuredController({ controllerFlags });
  const { client, connection, controllerPid, serverPid } = measured;
  // A client of its own: nothing else may come between an event and the time of its arrival.
  await using watching = HttpKubeClient.to(connection);
  const due = Math.ceil((Date.now() + count * CREATION_MS + ARMED_MS) / MINUTE_MS) * MINUTE_MS;
  // Once an hour: what is measured is one burst, however long it takes.
  await createCronJobs(client, { count, schedule: `${new Date(due).getMinutes()} * * * *`, namespaces, half });
  if (Date.now() > due - ARMED_MS) throw new Error(`Cannot measure ${count} CronJobs: their creation took too long`);
  await using _beside = await beside?.(measured);
  await sleepUntil(due - ARMED_MS);
  const cpuBeforeMinute = usageOf(controllerPid).cpuSeconds;
  await sleepUntil(due - BEFORE_MS);

  using end = new EndOfWatches();
  const delays: number[] = [];
  const createdAt = new Map<string, number>();
  const unrecorded: number[] = [];
  const writes = { jobs: 0, statuses: 0 };
  let cpuAtLastStart: number | undefined;
  await follow(watching, JOBS, end.signal, (type, job) => {
    const owner = controllerOf(job);
    if (type !== "ADDED" || !owner) return;
    writes.jobs++;
    if (parseTime(job.metadata.annotations?.[BATCH.scheduledTimeAnnotation]) !== due) return;
    if (delays.push(Date.now() - due) === count) cpuAtLastStart = usageOf(controllerPid).cpuSeconds;
    createdAt.set(`${job.metadata.namespace}/${owner.name}`, Date.now());
  });
  await follow(watching, CRON_JOBS, end.signal, (_type, cronJob) => {
    writes.statuses++;
    const key = keyOf(cronJob);
    const created = createdAt.get(key);
    if (created === undefined || parseTime(cronJob.status?.lastScheduleTime) !== due) return;
    createdAt.delete(key);
    unrecorded.push(Date.now() - created);
  });
  const [before, serverBefore] = [usageOf(controllerPid), usageOf(serverPid)];
  await sleepUntil(due + AFTER_MS);
  while (unrecorded.length < count && Date.now() < due + MAX_AFTER_MS) await sleepUntil(Date.now() + 1_000);
  const [after, serverAfter] = [usageOf(controllerPid), usageOf(serverPid)];
  const { items, metadata } = await client.list(EVENTS, { limit: 1 });
  const events = items.length + (metadata.remainingItemCount ?? 0);
  const bare = await createBareJobs(connection, count);

  return {
    "CronJobs due": count,
    "started": delays.length,
    "start delay p50 (s)": seconds(delays, 0.5),
    "start delay p99 (s)": seconds(delays, 0.99),
    "start delay max (s)": seconds(delays, 1),
    "bare creation p50 (s)": seconds(bare, 0.5),
    "bare creation p99 (s)": seconds(bare, 0.99),
    "bare creation max (s)": seconds(bare, 1),
    "start delay max / bare": seconds(delays, 1) / seconds(bare, 1),
    "CPU until the last start (s)": (cpuAtLastStart ?? after.cpuSeconds) - before.cpuSeconds,
    "CPU of the minute (s)": after.cpuSeconds - cpuBeforeMinute,
    "memory before (MB)": before.residentMb,
    "memory peak (MB)": after.peakMb,
    "memory after (MB)": after.residentMb,
    "unrecorded p50 (s)": seconds(unrecorded, 0.5),
    "unrecorded p99 (s)": seconds(unrecorded, 0.99),
    "recorded": unrecorded.length,
    "Jobs created a run": writes.jobs / count,
    "statuses written a run": writes.statuses / count,
    "Events written a run": events / count,
    "server CPU of the minute (s)": serverAfter.cpuSeconds - serverBefore.cpuSeconds,
    "server memory peak (MB)": serverAfter.peakMb,
  };
}

class EndOfWatches implements Disposable {
  readonly #end = new AbortController();
  readonly signal = this.#end.signal;
  [Symbol.dispose](): void {
    this.#end.abort();
  }
}

function seconds(valuesMs: readonly number[], share: number): number {
  return quantile(valuesMs, share) / 1_000;
}

function sleepUntil(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time - Date.now()));
}
