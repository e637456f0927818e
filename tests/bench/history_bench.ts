// The cost of history: the bytes of a run, the CPU of its three writes, and how soon runs are read where there are many. The
// runs are those of CronJobs that are due each minute, whose Jobs start, succeed and are removed.
//
//   deno task bench:history [--cronjobs 5000] [--minutes 1440]
import { parseArgs } from "node:util";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { BATCH, FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { type Child, readJob } from "../../src/cronjob/api/job.ts";
import { scheduledJobName } from "../../src/cronjob/api/job_name.ts";
import type { Job } from "../../src/kube/resource.ts";
import type { Change } from "../../src/runtime/store.ts";
import { ArchiveTables } from "../../src/run_archive/archive_tables.ts";
import { keepJob } from "../../src/run_archive/job_runs.ts";
import { KeptRuns } from "../../src/run_archive/kept_runs.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { completedAt } from "../support/ended_job.ts";
import { must } from "../support/expected.ts";
import { median } from "./support/statistics.ts";
import { cpuMs } from "./support/usage.ts";

const { values: options } = parseArgs({
  options: { cronjobs: { type: "string", default: "5000" }, minutes: { type: "string", default: "1440" } },
});
const [cronJobs, minutes] = [Number(options.cronjobs), Number(options.minutes)];
const NAMESPACE = "default";
const READS = 20;
/** As the archive does. */
const WRITTEN_AT_ONCE = 50;
const folder = await Deno.makeTempDir({ prefix: "history-bench-" });
const database = `${folder}/history.sqlite`;
const end = Math.floor(Date.now() / 60_000) * 60_000;

/** The Job of a run, as it is written down: what changes within a second is written once. */
function* changesOf(cronJob: string, scheduledTime: number): Generator<Change<Child>> {
  const name = scheduledJobName(cronJob, BATCH, scheduledTime);
  const started = formatTime(scheduledTime);
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: cronJob, uid: `uid-of-${cronJob}`, controller: true };
  const metadata = {
    namespace: NAMESPACE,
    name,
    uid: crypto.randomUUID(),
    creationTimestamp: started,
    annotations: { [BATCH.scheduledTimeAnnotation]: started },
    ownerReferences: [owner],
  };
  const read = (status: object) =>
    readJob(FLAVOURS, { apiVersion: "batch/v1", kind: "Job", metadata, status } as unknown as Job);
  const active = read({ startTime: started, active: 1 });
  yield { type: "added", object: active };
  const over = read({ startTime: started, ...completedAt(formatTime(scheduledTime + 20_000)) });
  yield { type: "modified", object: over, previous: active };
  yield { type: "deleted", object: over };
}

const tables = new ArchiveTables(database);
let spentMs = 0;
for (let minute = minutes; minute > 0; minute--) {
  const runs = Array.from({ length: cronJobs }, (_, i) => [...changesOf(`report-${i}`, end - minute * 60_000)]);
  const before = cpuMs();
  for (let change = 0; change < 3; change++) {
    for (let i = 0; i < runs.length; i += WRITTEN_AT_ONCE) {
      tables.atOnce(() => runs.slice(i, i + WRITTEN_AT_ONCE).forEach((run) => keepJob(tables, must(run[change]))));
    }
  }
  spentMs += cpuMs() - before;
}
const runs = cronJobs * minutes;
const bytes = tables.bytes();
tables[Symbol.dispose]();

const archive = new class extends KeptRuns {}(database, new SystemClock());
function readMs(read: (i: number) => unknown): number {
  return median(Array.from({ length: READS }, (_, i) => {
    const began = performance.now();
    read(i);
    return performance.now() - began;
  }));
}
console.table({
  "runs": runs,
  "CPU of a run (µs)": spentMs * 1_000 / runs,
  "size of a run (bytes)": bytes / runs,
  "size of all (MB)": bytes / 1e6,
  "runs of a CronJob, all (ms)": readMs((i) => archive.runs({ cronJobs: [`${NAMESPACE}/report-${i}`] })),
  "runs of a CronJob, newest 10 (ms)": readMs((i) =>
    archive.runs({ cronJobs: [`${NAMESPACE}/report-${i}`], recent: true })
  ),
  "newest 20 of all (ms)": readMs(() => archive.runs({ limit: 20 })),
  "newest 20 failed of all (ms)": readMs(() => archive.runs({ limit: 20, failed: true })),
});
archive[Symbol.dispose]();
await Deno.remove(folder, { recursive: true });
