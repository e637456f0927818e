import { assertEquals } from "@std/assert";
import type { Command } from "commander";
import { addBackfillCommand } from "../../../src/cli/backfill/command.ts";
import { addExplainCommand } from "../../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../../src/cli/history/command.ts";
import { addLogsCommand } from "../../../src/cli/logs/command.ts";
import { addPauseCommand, addResumeCommand } from "../../../src/cli/pause/command.ts";
import { addSimulateCommand } from "../../../src/cli/simulate/command.ts";
import { addStatusCommand } from "../../../src/cli/status/command.ts";
import { addTriggerCommand } from "../../../src/cli/trigger/command.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { temporaryFolder } from "../../support/program.ts";
import { runToTheEnd } from "./run_command.ts";
import { podOf, recorded, recordedBody, RecordedServer, runOf, type Scene } from "./recorded_answers.ts";

const CLOCK = new FakeClock("2026-01-02T03:20:00Z");
const COMMANDS = [
  addStatusCommand,
  addExplainCommand,
  addHistoryCommand,
  addLogsCommand,
  addTriggerCommand,
  addPauseCommand,
  addResumeCommand,
  addBackfillCommand,
  addSimulateCommand,
];

function addAll(program: Command): void {
  for (const add of COMMANDS) add(program, CLOCK);
}

/** Every hour, as kube-controller-manager left it after its run at 03:00. */
export const REPORT = { ...recordedBody("cronjob-generation", 1), status: recordedBody("cronjob-status", 4).status };
export const SUSPENDED = recordedBody("cronjob-generation", 4);
const run = (name: string, step: number) => runOf(REPORT, "2026-01-02T03:00:00Z", recordedBody(name, step));
export const COMPLETE = run("job-status-complete", 3);
export const FAILED = run("job-status-failed", 1);
export const ACTIVE = run("job-status-complete", 1);
export const HALTED = run("table-jobs", 7);

/** As the Pod of a run that failed, and that of one that completed, were recorded. */
export const FAILED_POD = podOf(FAILED, recordedBody("table-pods", 4));
export const COMPLETE_POD = podOf(COMPLETE, { ...recordedBody("pod-status", 2), kind: "Pod" });

const CRON_JOBS = "/apis/batch/v1/namespaces/team-a/cronjobs";
export const LIST = `GET ${CRON_JOBS}`;
export const PATCH = `PATCH ${CRON_JOBS}/report`;
export const CREATE_JOB = "POST /apis/batch/v1/namespaces/team-a/jobs";
export const REACH = "GET /version";
export const PATCHED = recorded("cronjob-generation", 4);
export const OF_REPORT = { '\\"a\\"': '\\"report\\"', absent: "report" };

/** Which answers, and what a command line makes of them. */
export interface Row extends Scene {
  readonly sentence: string;
  readonly line: string;
  readonly stdout?: string;
  /** In place of all that is printed: lines of it, where another row of the command has all. */
  readonly shows?: readonly string[];
  /** What is said in place of an answer. */
  readonly refusal?: string;
  /** @default 1 where it is a refusal */
  readonly exitCode?: number;
  /** What it sends beside questions. */
  readonly writes?: readonly string[];
}

/** Runs each row's command in this process, by a clock that stands still. */
export async function holdTo(rows: readonly Row[], context: Deno.TestContext): Promise<void> {
  await using folder = await temporaryFolder();
  await using server = new RecordedServer();
  const kubeconfig = `${folder.path}/kubeconfig`;
  await Deno.writeTextFile(kubeconfig, server.kubeconfig);
  for (const { sentence, line, stdout = "", shows, refusal, exitCode, writes = [], ...scene } of rows) {
    await context.step(sentence, async () => {
      const expected = refusal === undefined
        ? { stderr: "", exitCode: exitCode ?? 0 }
        : { stderr: `cronjob-controller: ${refusal}`, exitCode: exitCode ?? 1 };
      server.show(scene);
      const printed = await runToTheEnd(addAll, ...line.split(" "), "--kubeconfig", kubeconfig);
      const sent = server.requests.filter((request) => !request.startsWith("GET ") && !request.endsWith("reviews"));
      const said = printed.stderr.replaceAll(server.url, "SERVER");
      const lines = printed.stdout.split("\n");
      assertEquals(shows?.filter((line) => !lines.includes(line)) ?? [], [], printed.stdout);
      const output = shows ? printed.stdout : stdout;
      assertEquals({ ...printed, stderr: said, writes: sent }, { stdout: output, ...expected, writes });
    });
  }
}
