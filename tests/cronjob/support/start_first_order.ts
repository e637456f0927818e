import { assert, assertEquals } from "@std/assert";
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import { CRON_JOBS } from "../../../src/kube/resource.ts";
import { EventRecorder } from "../../../src/runtime/event_recorder.ts";
import { ApiServerProcess } from "../../support/api_server_process.ts";
import { type AuditEvent, readAuditLog } from "../../support/audit.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { eventually, temporaryFolder } from "../../support/program.ts";
import { ShiftedClock } from "./shifted_clock.ts";

const MINUTE_MS = 60_000;

/** Lets CronJobs be due at one instant, and proves by the API server's audit log that starting comes before bookkeeping. */
export async function proveThatStartsComeFirst(
  { count, concurrentSyncs }: { count: number; concurrentSyncs?: number },
): Promise<void> {
  await using folder = await temporaryFolder();
  const auditLogPath = `${folder.path}/audit.jsonl`;
  await using server = await ApiServerProcess.start({ dataDir: `${folder.path}/data`, auditLogPath });
  const { client } = server;
  // Later than all of them are made, by the server's clock; the controller's is ahead of that.
  const due = new Date((Math.floor(Date.now() / MINUTE_MS) + 10) * MINUTE_MS);
  const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const spec = { schedule, timeZone: "Etc/UTC" };
  const cronJobs = Array.from({ length: count }, (_, i) => cronJobOf(BATCH, { name: `c${i}`, spec }));
  await Promise.all(cronJobs.map((cronJob) => client.create(BATCH.resource, cronJob)));

  const clock = new ShiftedClock(new Date(due.getTime() - MINUTE_MS).toISOString());
  const recorder = new EventRecorder({ client, clock, component: "cronjob-controller" });
  const looked = new Set<string>();
  const observer = { looked: ({ name }: { name: string }) => void looked.add(name) };
  const controller = new CronJobController({
    client,
    clock,
    flavour: BATCH,
    jobs: followChildren({ client, clock, flavours: [BATCH] }),
    recorder,
    observer,
    concurrentSyncs,
    // Here settling waits for all that is due, however slow the machine is.
    settleAfterMs: Infinity,
  });
  const end = new AbortController();
  const running = Promise.all([recorder, controller].map((part) => part.run(end.signal)));
  try {
    await eventually("all CronJobs have been looked at", () => Promise.resolve(looked.size === count));
    clock.set(new Date(due.getTime() - 1_000).toISOString());
    await eventually("all runs are recorded", async () => {
      const { items } = await client.list(CRON_JOBS);
      return items.every(({ status }) => Date.parse(status?.lastScheduleTime ?? "") === due.getTime());
    }, 60_000);
  } finally {
    end.abort();
    await running;
  }

  const events = await readAuditLog(auditLogPath);
  const lastStart = events.findLastIndex(isStart);
  const firstRecord = events.findIndex(isRecord);
  assertEquals(events.filter(isStart).length, count);
  assert(firstRecord >= 0, "the audit log has no status writes");
  const early = events.slice(0, lastStart).filter(isRecord).length;
  assertEquals(early, 0, `${early} statuses were written before the last of ${count} due Jobs was created`);
}

function isStart({ verb, objectRef, responseStatus }: AuditEvent): boolean {
  return verb === "create" && objectRef?.resource === "jobs" && responseStatus.code === 201;
}

function isRecord({ objectRef }: AuditEvent): boolean {
  return objectRef?.resource === "cronjobs" && objectRef.subresource === "status";
}
