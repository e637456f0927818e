import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { explanationJson } from "../../src/cli/explain/format.ts";
import { addResumeCommand } from "../../src/cli/pause/command.ts";
import { hasForeignHold, remedyOn } from "../../src/dashboard/page/model/rights.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import type { ActionAnswer, Detail, Explained, RightsAnswer, Row } from "../../src/dashboard/wire.ts";
import { type Action, type CronJobView, STATES } from "../../src/view/cron_job_view.ts";
import { remedyOf } from "../../src/view/remedies.ts";
import { runCommand } from "../cli/support/run_command.ts";
import { SeededCluster, TUTORIAL } from "../cli/support/seeded_cluster.ts";
import { must } from "../support/expected.ts";
import { kubectlOk } from "../support/program.ts";
import { test } from "../support/test.ts";
import { startTestDashboard } from "./support/dashboard.ts";
import { clusterOfEveryState, EVERY_STATE } from "./support/every_state.ts";
import { rowsOf, statusOf } from "./support/told.ts";

/** Remedies that are a command which ends the trouble at once. */
const ENDING: readonly Action["do"][] = [
  "CorrectManaged",
  "CorrectPause",
  "DeleteJob",
  "EndPauseInSpec",
  "Resume",
  "Unsuspend",
];

/** The answers of the page and of `explain` about one CronJob. */
async function explained(
  cluster: SeededCluster,
  { apiVersion, namespace, name }: Row,
): Promise<[page: Explained, command: unknown]> {
  const { api: { client }, clock, kubeconfig } = cluster;
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  const answer = await dashboard.get(`/api/explain?${new URLSearchParams({ api: apiVersion, namespace, name })}`);
  const add = (program: Parameters<typeof addExplainCommand>[0]) => addExplainCommand(program, clock);
  const args = ["explain", name, "-n", namespace, "--kubeconfig", kubeconfig, "-o", "json"];
  return [await answer.json(), JSON.parse((await runCommand(add, ...args)).stdout)[0]];
}

/** Has a shell run a command as it is shown, or this process where it is one of this program. */
async function type({ kubeconfig, clock }: SeededCluster, command: string): Promise<void> {
  const [program = "", ...args] = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
  if (program === "kubectl") return void await kubectlOk(kubeconfig, args);
  await runCommand((program) => addResumeCommand(program, clock), ...args, "--kubeconfig", kubeconfig);
}

/** `status -o json` has its times as text. */
const toldBy = ({ state, since, cause, nextRun }: Row | CronJobView) => ({
  state,
  since: since === undefined ? undefined : new Date(since).toISOString(),
  cause,
  next: nextRun?.kind === "known" ? new Date(nextRun.scheduledTime).toISOString() : nextRun?.message,
});

test("the page, `status` and `explain` say the same of CronJobs in every state, with cause, remedies and next run", async () => {
  await using cluster = await clusterOfEveryState();
  const [rows, views] = await Promise.all([rowsOf(cluster), statusOf(cluster)]);
  assertEquals(rows.map(({ name }) => name).sort(), Object.keys(EVERY_STATE).sort());
  assertEquals(new Set(rows.map(({ state }) => state)), new Set(STATES));
  for (const row of rows) {
    const { name, state, cause, actions, nextRun } = row;
    const { is, says, remedies: expected } = must(EVERY_STATE[name]);
    assertEquals([name, state, actions.map((action) => action.do)], [name, is, expected]);
    assertStringIncludes(cause?.message ?? "", says, name);
    assertEquals(toldBy(must(views.find((view) => view.name === name))), toldBy(row), name);
    const [page, command] = await explained(cluster, row);
    assertEquals(command, JSON.parse(JSON.stringify(explanationJson(page))), name);
    assertEquals([page.state, page.nextRun], [state, nextRun], name);
    // Where an expectation is not met, the newest run itself may need no remedy, or another one.
    if (says !== "") assertEquals(page.actions, actions, name);
    const { verdict: { message, why = "" }, notes, checks } = page;
    assertStringIncludes([message, why, ...notes, ...checks.map(({ message }) => message)].join("\n"), says, name);
  }
});

test("a remedy that is a command ends its trouble as it is shown", async () => {
  await using cluster = await clusterOfEveryState();
  const ended = (await rowsOf(cluster)).filter(({ actions }) => actions.some((action) => ENDING.includes(action.do)));
  for (const row of ended) {
    await type(cluster, remedyOf(must(row.actions.find((action) => ENDING.includes(action.do))), row));
  }
  const after = await rowsOf(cluster);
  for (const { name, state } of ended) {
    assert(must(after.find((row) => row.name === name)).state !== state, `${name} is ${state} still`);
  }
});

test("the page's button to resume ends whatever holds a CronJob", async () => {
  await using cluster = await clusterOfEveryState();
  const { api: { client }, clock } = cluster;
  await using dashboard = startTestDashboard({ client, clock });
  const all = { actions: Object.fromEntries(FLAVOURS.map(({ apiVersion }) => [apiVersion, ["resume"]])) };
  // Of the others no controller has recorded yet that failures pause them.
  const held = (await rowsOf(cluster)).filter((row) =>
    row.state !== "Stopped" && remedyOn(row, { mayReadLogs: false, ...all } as RightsAnswer) === "resume"
  );
  for (const row of held) {
    const { apiVersion, namespace, name, pause } = row;
    const target = { apiVersion, namespace, name, of: pause?.by, withForeign: hasForeignHold(row) };
    const { results: [answer] }: ActionAnswer =
      await (await dashboard.post("/api/actions/resume", { targets: [target] })).json();
    assertEquals([name, answer?.result], [name, "done"], answer?.message);
  }
  assertEquals(held.length > 6, true, `${held.map(({ name }) => name)}`);
});

test("the runs of a CronJob say how they failed as `history` does", async () => {
  await using cluster = await SeededCluster.start("10:20", [{
    name: "failing",
    jobs: [{ at: "09:00", ended: "09:02" }, { at: "10:00", ended: "10:01", failed: true, exitCode: 3 }],
  }]);
  const { api: { client }, clock } = cluster;
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  const query = new URLSearchParams({ api: TUTORIAL.apiVersion, namespace: "default", name: "failing" });
  const { runs }: Detail = await (await dashboard.get(`/api/cronjob?${query}`)).json();
  assertEquals(runs.map(({ outcome, why }) => [outcome, why]), [["Failed", "exit 3"], ["Succeeded", undefined]]);
});
