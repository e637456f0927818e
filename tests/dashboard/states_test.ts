import { assertEquals } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import { FAILURES } from "../../src/cronjob/api/annotations.ts";
import type { CronJob } from "../../src/cronjob/api/cron_job.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { writeFailures } from "../../src/cronjob/api/failure_record.ts";
import type { Detail, Row } from "../../src/dashboard/wire.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { type CronJobView, STATES } from "../../src/view/cron_job_view.ts";
import { BATCH, SeededCluster, type SeededCronJob, time, TUTORIAL } from "../cli/support/seeded_cluster.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { startTestDashboard } from "./support/dashboard.ts";
import { rowsOf, statusOf } from "./support/told.ts";

const MANAGED = "cronjob-controller.dev/managed";
const FORBID = { concurrencyPolicy: "Forbid" } as const;
const SUCCESS = { at: "10:00", ended: "10:02" };
const FAILED = { at: "10:00", ended: "10:01", failed: true, exitCode: 3 };
const WAITING = { at: "09:00", waiting: ["ImagePullBackOff", "Back-off pulling image"] as [string, string] };

/** CronJobs of every state, with the names of their states. */
const FLEET: readonly SeededCronJob[] = [
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
  const paused = { since: Date.parse(time("10:01")), mark: resumeMark };
  const failures = writeFailures({ count: 3, counted: [], paused, resumedAt: undefined });
  if (!flavour.openStatus) {
    const body = { metadata: { annotations: { [FAILURES]: JSON.stringify(failures) } } };
    await client.patch(flavour.resource, object.metadata, { type: "merge", body });
  } else {
    const body = { status: { failuresInARow: failures } };
    await client.patch(flavour.resource, object.metadata, { type: "merge", body }, { subresource: "status" });
  }
}

const toldBy = ({ name, state, since, cause, nextRun }: Row | CronJobView) => [
  name,
  {
    state,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    cause,
    next: nextRun?.kind === "known" ? new Date(nextRun.scheduledTime).toISOString() : nextRun?.message,
  },
];

test("the page and `status` say the same of CronJobs in every state: state, since, cause and next run", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  for (
    const [name, flavour] of [["stopped-after-failures", TUTORIAL], ["stopped-after-failures-batch", BATCH]] as const
  ) {
    const object = await cluster.api.client.get(flavour.resource, { namespace: "default", name });
    await pauseAfterFailures(cluster, readCronJob(flavour, { ...object, apiVersion: apiVersionOf(flavour.resource) }));
  }
  const [rows, views] = await Promise.all([rowsOf(cluster), statusOf(cluster)]);
  const told = Object.fromEntries(rows.map(toldBy));
  assertEquals(told, Object.fromEntries(views.map(toldBy)));
  for (const { name, state } of rows) assertEquals(state.toLowerCase(), must(name.split("-")[0]));
  assertEquals(new Set(rows.map(({ state }) => state)), new Set(STATES));
});

test("the runs of a CronJob say how they failed as `history` does", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET.filter(({ name }) => name === "failing"));
  const { api: { client }, clock } = cluster;
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  const query = new URLSearchParams({ api: apiVersionOf(TUTORIAL.resource), namespace: "default", name: "failing" });
  const { runs }: Detail = await (await dashboard.get(`/api/cronjob?${query}`)).json();
  assertEquals(runs.map(({ outcome, why }) => [outcome, why]), [["Failed", "exit 3"], ["Succeeded", undefined]]);
});
