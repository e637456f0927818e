import { connectionOf } from "../../../../src/cli/cluster/connection.ts";
import { HISTORY_PAGE_COMMANDS, PAGE_COMMANDS } from "../../../../src/cli/shared/page_commands.ts";
import type { Detail, Explained, Row, RowRun, Timeline } from "../../../../src/dashboard/wire.ts";
import { HttpKubeClient } from "../../../../src/kube/http_client.ts";
import type { CronJobView, RunView } from "../../../../src/view/cron_job_view.ts";
import { type EpochMs, formatTime } from "../../../../src/base/epoch_ms.ts";
import { jsonOf } from "../../../../src/view/json.ts";
import { startTestDashboard, type TestDashboard } from "../../../dashboard/support/dashboard.ts";
import { shownBy } from "../../../dashboard/support/told.ts";
import { must } from "../../../support/expected.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import type { Said, SaidRow, SaidVerdict } from "./answers.ts";
import type { AskedCluster } from "./asked_cluster.ts";
import type { Cluster } from "./cluster.ts";
import { HOURS_MS } from "./world.ts";

/** Opens the dashboard of a world, and returns what its page shows: in the row of the list, and of the CronJob alone. */
export async function askPage(
  asked: AskedCluster,
  cluster: Cluster,
  times: readonly EpochMs[],
): Promise<readonly Said[]> {
  asked.show(cluster);
  const clock = new FakeClock(cluster.now);
  await using client = HttpKubeClient.to(await connectionOf({ kubeconfig: asked.path("kubeconfig") }), { clock });
  const commands = cluster.isEmbedded ? HISTORY_PAGE_COMMANDS : PAGE_COMMANDS;
  await using dashboard = startTestDashboard({ client, clock, commands });
  const { rows: [shown], headlines } = await shownBy(dashboard);
  const row = must(shown);
  const { apiVersion, namespace, name } = row;
  const query = String(new URLSearchParams({ api: apiVersion, namespace, name }));
  const detail: Detail = await (await answerOf(dashboard, `/api/cronjob?${query}`)).json();
  const scheduledTimes = detail.nextRuns.flatMap((time) => "scheduledTime" in time ? time.scheduledTime : []);
  const verdicts = await Promise.all(times.map(async (time): Promise<SaidVerdict> => {
    const answer = await answerOf(dashboard, `/api/explain?${query}&at=${formatTime(time)}`);
    return { time, ...(await answer.json() as Explained).verdict };
  }));
  const span = `from=${cluster.now}&to=${cluster.now + HOURS_MS}`;
  const timeline: Timeline = await (await answerOf(dashboard, `/api/timeline?${span}&id=${row.id}`)).json();
  const lastRuns = row.lastRuns.map(runOfRow);
  return [
    {
      by: "the page's row",
      row: saidRow(row, lastRuns),
      headlines,
      mostRuns: 10,
      planned: { by: "startedAt", times: must(timeline.rows[0]).planned },
    },
    {
      by: "the page of it",
      row: saidRow(row, detail.runs),
      headlines,
      mostRuns: 50,
      planned: { by: "scheduledTime", times: scheduledTimes },
      verdicts,
    },
  ];
}

function saidRow(row: Row, lastRuns: readonly Partial<RunView>[]): SaidRow {
  return JSON.parse(JSON.stringify(jsonOf({ ...row, lastRuns } as CronJobView)));
}

/** A run that has no Job stands at its scheduled time. */
function runOfRow({ at, job, trigger, ...run }: RowRun): Partial<RunView> {
  return { ...run, job, trigger: trigger ?? "Schedule", scheduledTime: job === undefined ? at : undefined };
}

async function answerOf(dashboard: TestDashboard, path: string): Promise<Response> {
  const answer = await dashboard.get(path);
  if (answer.ok) return answer;
  throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}
