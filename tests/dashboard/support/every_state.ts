import { FAILURES } from "../../../src/cronjob/api/annotations.ts";
import type { CronJob } from "../../../src/cronjob/api/cron_job.ts";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { BATCH, SeededCluster, type SeededCronJob, time, TUTORIAL } from "../../cli/support/seeded_cluster.ts";

const MANAGED = "cronjob-controller.dev/managed";
const FORBID = { concurrencyPolicy: "Forbid" } as const;
const SUCCESS = { at: "10:00", ended: "10:02" };
const FAILED = { at: "10:00", ended: "10:01", failed: true, exitCode: 3 };
const WAITING = { at: "09:00", waiting: ["ImagePullBackOff", "Back-off pulling image"] as [string, string] };
const QUOTA = "Error creating: pods is forbidden: exceeded quota";

/** CronJobs of every state, with the names of their states. */
export const EVERY_STATE: readonly SeededCronJob[] = [
  {
    name: "contested",
    api: BATCH,
    annotations: { [MANAGED]: "true" },
    jobs: [SUCCESS],
    warning: ["MultipleControllers", "another controller runs it too", "10:10"],
  },
  { name: "invalid", spec: { schedule: "61 * * * *" } },
  { name: "stopped-after-failures", spec: { pauseAfterFailures: 3 }, jobs: [FAILED] },
  {
    name: "stopped-after-failures-batch",
    api: BATCH,
    annotations: { "cronjob-controller.dev/pause-after-failures": "3" },
    jobs: [FAILED],
  },
  { name: "stopped-too-many", spec: { schedule: "* * * * *" }, status: { lastScheduleTime: time("03-01 09:00") } },
  { name: "blocked", spec: FORBID, jobs: [{ at: "09:00" }] },
  { name: "blocked-stuck", api: BATCH, spec: FORBID, jobs: [WAITING] },
  { name: "failing", jobs: [{ at: "09:00", ended: "09:02" }, FAILED] },
  { name: "failing-batch", api: BATCH, jobs: [FAILED] },
  { name: "overdue", status: { lastScheduleTime: time("09:00") } },
  { name: "pending", jobs: [{ ...WAITING, at: "10:00" }] },
  { name: "pending-without-pod", jobs: [{ at: "10:18", refused: QUOTA }], spec: { schedule: "18 * * * *" } },
  {
    name: "pending-another-pod",
    jobs: [{ at: "10:18", exitCode: 3, refused: QUOTA }],
    spec: { schedule: "18 * * * *" },
  },
  {
    name: "late",
    spec: { startingDeadlineSeconds: 60, expect: { startWithinSeconds: 60 } },
    status: { lastScheduleTime: time("09:00") },
  },
  { name: "slow", spec: { expect: { finishBy: "10:10" } }, jobs: [{ at: "10:00" }] },
  { name: "slow-replaced", api: BATCH, spec: { concurrencyPolicy: "Replace" }, jobs: [{ at: "10:00" }] },
  { name: "stale", spec: { expect: { succeededWithinSeconds: 600 } }, jobs: [SUCCESS] },
  { name: "suspicious", spec: { expect: { minimumDurationSeconds: 300 } }, jobs: [SUCCESS] },
  {
    name: "missed",
    spec: { startingDeadlineSeconds: 60 },
    status: { lastScheduleTime: time("09:00") },
  },
  { name: "paused", spec: { pause: { until: time("03-13 08:00"), reason: "migration" } } },
  { name: "suspended", api: BATCH, spec: { suspend: true } },
  { name: "running", api: BATCH, jobs: [{ at: "10:00" }] },
  { name: "waiting", jobs: [SUCCESS] },
  { name: "ended", spec: { endTime: time("10:05") }, jobs: [SUCCESS] },
];

/** Writes of it that its schedule is paused after failures, as its controller does. */
async function pauseAfterFailures({ api: { client } }: SeededCluster, { flavour, object, resumeMark }: CronJob) {
  const failures = { count: 3, counted: [], pausedSince: time("10:01"), pausedWith: resumeMark };
  if (!flavour.openStatus) {
    const body = { metadata: { annotations: { [FAILURES]: JSON.stringify(failures) } } };
    await client.patch(flavour.resource, object.metadata, { type: "merge", body });
  } else {
    const body = { status: { failuresInARow: failures } };
    await client.patch(flavour.resource, object.metadata, { type: "merge", body }, { subresource: "status" });
  }
}

/** A cluster with CronJobs of every state. */
export async function clusterOfEveryState(): Promise<SeededCluster> {
  const cluster = await SeededCluster.start("10:20", EVERY_STATE);
  for (
    const [name, flavour] of [["stopped-after-failures", TUTORIAL], ["stopped-after-failures-batch", BATCH]] as const
  ) {
    const object = await cluster.api.client.get(flavour.resource, { namespace: "default", name });
    await pauseAfterFailures(cluster, readCronJob(flavour, { ...object, apiVersion: flavour.apiVersion }));
  }
  return cluster;
}
