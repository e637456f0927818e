import { assertEquals } from "@std/assert";
import type { Command } from "commander";
import { addBackfillCommand } from "../../src/cli/backfill/command.ts";
import { findNames } from "../../src/cli/completion/names.ts";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { addPauseCommand } from "../../src/cli/pause/command.ts";
import { addResumeCommand } from "../../src/cli/resume/command.ts";
import { addSimulateCommand } from "../../src/cli/simulate/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { addTriggerCommand } from "../../src/cli/trigger/command.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { runToTheEnd } from "./run_command.ts";
import { insteadOf, recorded, recordedBody, RecordedServer, runOf, type Scene } from "./support/recorded_answers.ts";

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
const REPORT = { ...recordedBody("cronjob-generation", 1), status: recordedBody("cronjob-status", 4).status };
const SUSPENDED = recordedBody("cronjob-generation", 4);
const run = (name: string, step: number) => runOf(REPORT, "2026-01-02T03:00:00Z", recordedBody(name, step));
const COMPLETE = run("job-status-complete", 3);
const FAILED = run("job-status-failed", 1);
const ACTIVE = run("job-status-complete", 1);
const HALTED = run("table-jobs", 7);

const PATCHED = recorded("cronjob-generation", 4);
const JOBS = "/apis/batch/v1/namespaces/team-a/jobs";
const CRON_JOBS = "/apis/batch/v1/namespaces/team-a/cronjobs";
const [LIST_CRON_JOBS, LIST_JOBS, PATCH, CREATE_JOB] = [
  `GET ${CRON_JOBS}`,
  `GET ${JOBS}`,
  `PATCH ${CRON_JOBS}/report`,
  `POST ${JOBS}`,
];

interface Row extends Scene {
  readonly sentence: string;
  readonly line: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** What it sends beside questions. */
  readonly writes?: readonly string[];
}

const ROWS: readonly Row[] = [
  { sentence: "empty lists have no CronJobs", line: "status" },
  {
    sentence: "CronJobs of a recorded list are told",
    answers: [recorded("cronjob-list", 3)],
    line: "status",
  },
  { sentence: "CronJobs of all namespaces are told", answers: [recorded("cronjob-list", 4)], line: "status -A" },
  { sentence: "a suspended one is told to be", objects: [SUSPENDED], line: "status report" },
  { sentence: "a run that completed is well", objects: [REPORT, COMPLETE], line: "status report" },
  { sentence: "a run that failed is told", objects: [REPORT, FAILED], line: "status report" },
  { sentence: "a run that is active is told", objects: [REPORT, ACTIVE], line: "status report" },
  { sentence: "a run whose Job is suspended is told", objects: [REPORT, HALTED], line: "status report" },
  { sentence: "a CronJob that is not there", line: "status absent" },

  { sentence: "a run that completed is explained", objects: [REPORT, COMPLETE], line: "explain report" },
  { sentence: "a run that failed is explained", objects: [REPORT, FAILED], line: "explain report" },
  { sentence: "a run that is active is explained", objects: [REPORT, ACTIVE], line: "explain report" },
  { sentence: "a suspended Job is explained", objects: [REPORT, HALTED], line: "explain report" },
  { sentence: "a suspended CronJob is explained", objects: [SUSPENDED], line: "explain report" },
  { sentence: "a CronJob that is not there is not explained", line: "explain absent" },

  { sentence: "history of a run that completed", objects: [REPORT, COMPLETE], line: "history report" },
  { sentence: "history of a run that failed", objects: [REPORT, FAILED], line: "history report" },
  { sentence: "history of an active run", objects: [REPORT, ACTIVE], line: "history report" },
  { sentence: "history of a suspended Job", objects: [REPORT, HALTED], line: "history report" },
  { sentence: "history of none", objects: [REPORT], line: "history report" },

  { sentence: "logs of a run without Pods", objects: [REPORT, COMPLETE], line: "logs report" },
  { sentence: "logs of a CronJob without runs", objects: [REPORT], line: "logs report" },
  { sentence: "logs of none", line: "logs absent" },

  { sentence: "trigger creates a Job", objects: [REPORT], answers: [insteadOf(CREATE_JOB, recorded("job-create-defaults", 0))], line: "trigger report" },
  { sentence: "trigger in a dry run", objects: [REPORT], line: "trigger report --dry-run" },
  { sentence: "pause", objects: [REPORT], answers: [PATCHED], line: "pause report" },
  { sentence: "pause in a dry run", objects: [REPORT], line: "pause report --dry-run" },
  { sentence: "pause until", objects: [REPORT], line: "pause report --until 06:00" },
  { sentence: "pause of a suspended one", objects: [SUSPENDED], line: "pause report" },
  { sentence: "resume of a suspended one", objects: [SUSPENDED], line: "resume report" },
  { sentence: "resume of one that runs", objects: [REPORT], line: "resume report" },
  { sentence: "backfill", objects: [REPORT], line: "backfill report --from 20m --yes" },
  { sentence: "backfill preview", objects: [REPORT], line: "backfill report --from 1h --dry-run" },
  { sentence: "simulate", objects: [REPORT, COMPLETE], line: "simulate --with-cluster --from 04:00 --to 06:00 --list" },

  { sentence: "401 status", answers: [insteadOf("GET /version", recorded("error-unauthorized", 3))], line: "status" },
  { sentence: "401 check", answers: [insteadOf("GET /version", recorded("error-unauthorized", 3))], line: "status --check" },
  { sentence: "401 later", answers: [recorded("error-unauthorized", 0)], line: "status" },
  { sentence: "401 pause", objects: [REPORT], answers: [insteadOf(PATCH, recorded("error-unauthorized", 3))], line: "pause report" },
  { sentence: "anonymous", answers: [recorded("error-unauthorized", 1), recorded("error-unauthorized", 2)], line: "status" },
  { sentence: "403 version", answers: [insteadOf("GET /version", recorded("error-unauthorized", 2))], line: "status" },
  { sentence: "403 list", answers: [recorded("error-forbidden", 1)], line: "status" },
  { sentence: "403 list all", answers: [recorded("error-forbidden", 3)], line: "status -A" },
  { sentence: "403 explain", answers: [recorded("error-forbidden", 1)], line: "explain a" },
  { sentence: "403 patch", answers: [recorded("cronjob-list", 3), recorded("error-forbidden", 9)], line: "pause a" },
  { sentence: "403 create", objects: [REPORT], answers: [insteadOf(CREATE_JOB, recorded("error-forbidden", 7))], line: "trigger report" },
  { sentence: "403 simulate", answers: [recorded("error-forbidden", 1)], line: "simulate --with-cluster -n team-a" },
  { sentence: "403 terminating", objects: [REPORT], answers: [insteadOf(CREATE_JOB, recorded("namespace-terminating", 6))], line: "trigger report" },
  { sentence: "404 patch", objects: [REPORT], answers: [insteadOf(PATCH, recorded("error-not-found", 3))], line: "pause report" },
  { sentence: "404 batch not served", answers: [insteadOf(LIST_CRON_JOBS, recorded("error-not-found", 5))], line: "status" },
  { sentence: "404 create", objects: [REPORT], answers: [insteadOf(CREATE_JOB, recorded("error-not-found", 8))], line: "trigger report" },
  { sentence: "410 list", answers: [recorded("error-expired-list", 0)], line: "status" },
  { sentence: "410 second page", answers: [recorded("error-expired-list", 0)], line: "status" },
  { sentence: "409 again", objects: [REPORT], answers: [insteadOf(PATCH, recorded("error-conflict", 3)), PATCHED], line: "pause report" },
  { sentence: "409 always", objects: [REPORT], answers: [insteadOf(PATCH, recorded("error-conflict", 3))], line: "pause report" },
  { sentence: "409 exists", objects: [REPORT], answers: [insteadOf(CREATE_JOB, recorded("error-already-exists", 1))], line: "trigger report" },
  { sentence: "422 patch", objects: [REPORT], answers: [insteadOf(PATCH, recorded("cronjob-merge-patch", 3))], line: "pause report" },
  { sentence: "422 create", objects: [REPORT], answers: [insteadOf(CREATE_JOB, recorded("job-selectors", 1))], line: "trigger report" },
  { sentence: "406", answers: [insteadOf(LIST_CRON_JOBS, recorded("error-not-acceptable", 0))], line: "status" },
  { sentence: "500", objects: [REPORT], answers: [insteadOf(PATCH, recorded("cronjob-apply-errors", 7))], line: "pause report" },
  { sentence: "405 patch", objects: [REPORT], answers: [insteadOf(PATCH, recorded("cronjob-status", 8))], line: "pause report" },
];

test("what commands print of what kube-apiserver was recorded to answer", async (context) => {
  await using folder = await temporaryFolder();
  await using server = new RecordedServer();
  const kubeconfig = `${folder.path}/kubeconfig`;
  await Deno.writeTextFile(kubeconfig, server.kubeconfig);
  for (const { sentence, line, stdout = "", stderr = "", exitCode = 0, writes = [], ...scene } of ROWS) {
    await context.step(sentence, async () => {
      server.show(scene);
      const printed = await runToTheEnd(addAll, ...line.split(" "), "--kubeconfig", kubeconfig);
      const wrote = server.requests.filter((request) => !request.startsWith("GET ") && !request.includes("selfsubject"));
      assertEquals({ ...printed, writes: wrote }, { stdout, stderr, exitCode, writes });
    });
  }
});
