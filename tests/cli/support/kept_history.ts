import { FakeClock } from "../../support/fake_clock.ts";
import { ArchiveTables } from "../../../src/run_archive/archive_tables.ts";
import { RunArchive } from "../../../src/run_archive/archive.ts";
import { historyPage } from "../../../src/run_archive/pages.ts";
import { rowOfRun } from "../../../src/run_archive/rows.ts";
import type { RunView } from "../../../src/view/cron_job_view.ts";
import { time } from "./seeded_cluster.ts";

/** A run of `batch/v1` that took a minute. */
export interface SeededRun extends Pick<RunView, "outcome" | "message" | "terminated"> {
  namespace?: string;
  cronJob: string;
  at: string;
  job?: string;
  reason?: string;
}

/** Its message as the Job controller of this program writes it. */
export const KEPT_FAILURE = {
  cronJob: "report",
  at: "08:00",
  outcome: "Failed",
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit: exit 3: no such table",
  job: "old-1",
} as const;

/** Returns an archive with these runs, and the pages by which an API server of `standalone` hands them out. */
export function keptHistory(runs: readonly SeededRun[]) {
  const folder = Deno.makeTempDirSync({ prefix: "cronjob-controller-test-" });
  const database = `${folder}/history.sqlite`;
  using tables = new ArchiveTables(database);
  tables.atOnce(() => {
    for (const { namespace = "default", cronJob, at, reason, job, ...said } of runs) {
      const startedAt = Date.parse(time(at));
      const run = { trigger: "Schedule" as const, scheduledTime: startedAt, startedAt, endedAt: startedAt + 60_000 };
      tables.putRun(rowOfRun({ apiVersion: "batch/v1", namespace, name: cronJob }, { ...run, reason, job, ...said }));
    }
  });
  const limits = { runsMs: 1e12, logBytes: 1_000 };
  const archive = new RunArchive({ database, folder: `${folder}/logs`, clock: new FakeClock(), limits });
  return {
    archive,
    pages: { history: historyPage(archive) },
    [Symbol.dispose]() {
      archive[Symbol.dispose]();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}
