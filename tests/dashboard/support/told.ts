import { HISTORY_PAGE_COMMANDS } from "../../../src/cli/shared/page_commands.ts";
import { addStatusCommand } from "../../../src/cli/status/command.ts";
import type { Row, RowsMessage } from "../../../src/dashboard/wire.ts";
import type { CronJobView } from "../../../src/view/cron_job_view.ts";
import { runCommand } from "../../cli/support/run_command.ts";
import type { SeededCluster } from "../../cli/support/seeded_cluster.ts";
import { linesOf, startTestDashboard, type TestDashboard } from "./dashboard.ts";

/** The rows of the page. */
export async function rowsOf({ api: { client }, clock }: SeededCluster): Promise<Row[]> {
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  return (await shownBy(dashboard)).rows;
}

/** Returns what a page shows that has just been opened. */
export async function shownBy(dashboard: TestDashboard): Promise<{ rows: Row[]; headlines: readonly string[] }> {
  const rows: Row[] = [];
  let headlines: readonly string[] = [];
  for await (const message of linesOf<RowsMessage>(await dashboard.get("/api/rows"))) {
    if (message.kind === "headlines") headlines = message.lines;
    if (message.kind === "rows") rows.push(...message.rows);
    if (message.kind === "trouble") throw new Error(message.message);
    if (message.kind === "ready") break;
  }
  return { rows, headlines };
}

/** The answer of `status -o json`. */
export async function statusOf({ kubeconfig, clock }: SeededCluster): Promise<CronJobView[]> {
  const add = (program: Parameters<typeof addStatusCommand>[0]) => addStatusCommand(program, clock);
  return JSON.parse((await runCommand(add, "status", "--kubeconfig", kubeconfig, "-o", "json")).stdout);
}
