import { assertEquals } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import type { Detail, Row } from "../../src/dashboard/wire.ts";
import { type CronJobView, STATES } from "../../src/view/cron_job_view.ts";
import { SeededCluster, TUTORIAL } from "../cli/support/seeded_cluster.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { startTestDashboard } from "./support/dashboard.ts";
import { clusterOfEveryState, EVERY_STATE } from "./support/every_state.ts";
import { rowsOf, statusOf } from "./support/told.ts";

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
  await using cluster = await clusterOfEveryState();
  const [rows, views] = await Promise.all([rowsOf(cluster), statusOf(cluster)]);
  const told = Object.fromEntries(rows.map(toldBy));
  assertEquals(told, Object.fromEntries(views.map(toldBy)));
  for (const { name, state } of rows) assertEquals(state.toLowerCase(), must(name.split("-")[0]));
  assertEquals(new Set(rows.map(({ state }) => state)), new Set(STATES));
});

test("the runs of a CronJob say how they failed as `history` does", async () => {
  await using cluster = await SeededCluster.start("10:20", EVERY_STATE.filter(({ name }) => name === "failing"));
  const { api: { client }, clock } = cluster;
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  const query = new URLSearchParams({ api: TUTORIAL.apiVersion, namespace: "default", name: "failing" });
  const { runs }: Detail = await (await dashboard.get(`/api/cronjob?${query}`)).json();
  assertEquals(runs.map(({ outcome, why }) => [outcome, why]), [["Failed", "exit 3"], ["Succeeded", undefined]]);
});
