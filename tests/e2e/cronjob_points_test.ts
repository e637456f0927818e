// What only the whole program has: Pods that run or wait, and kubectl that shows what became of them.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { Cluster, passed, prove, type Seen } from "./support/cluster.ts";
import { shellTemplate } from "../support/cron_job.ts";

/** Jobs that fail with their first Pod, as the script does. */
function failingOnce(script: string) {
  return shellTemplate(script, { terminationMessagePolicy: "FallbackToLogsOnError" });
}

test("the status, its columns and the Jobs of a CronJob say what became of its Pods", async () => {
  await using cluster = await Cluster.start(TUTORIAL);
  await prove({
    "The status tells next and last run, counts and conditions": async () => {
      // Seldom enough that the last ten runs are not all active, however slowly they run.
      await cluster.apply({ name: "told", spec: { schedule: "@every 4s", jobTemplate: failingOnce("exit 3") } });
      const status = await cluster.until(
        "two failures",
        (seen) => {
          const status = seen.status("told");
          const isTold = status.recentRuns?.some(({ outcome }) => outcome === "Failed");
          return isTold && (status.counts?.consecutiveFailures ?? 0) >= 2 && status;
        },
      );
      assert(status.nextScheduleTime && status.lastScheduleTime && status.lastFailureTime);
      assertEquals(status.conditions?.find(({ type }) => type === "Failing")?.status, "True");
      assertMatch(await cluster.kubectl("get", "tcj", "told"), /LAST RUN +NEXT RUN/);
      await cluster.kubectl("wait", "--for=condition=Failing", "tcj/told", "--timeout=120s");
      await cluster.delete("told");
    },

    "The scheduled time reaches the process": async () => {
      await cluster.apply({
        name: "exposed",
        spec: { exposeSchedule: true, schedule: "@every 2s" },
        script: "echo $CRON_SCHEDULED_TIME $CRON_TRIGGER",
      });
      const job = await cluster.until(
        "a run",
        (seen) => seen.jobsOf("exposed").find(({ status }) => status?.succeeded),
      );
      const log = await cluster.kubectl("logs", `job/${job.metadata.name}`);
      assertEquals(log, `${job.metadata.annotations?.[TUTORIAL.scheduledTimeAnnotation]} Schedule\n`);
      await cluster.delete("exposed");
    },

    "A Job whose Pod never starts fails, and under Forbid the next run starts": async () => {
      const jobTemplate = shellTemplate("true", { envFrom: [{ secretRef: { name: "missing" } }] });
      await cluster.apply({
        name: "pending",
        spec: {
          schedule: "@every 2s",
          concurrencyPolicy: "Forbid",
          // Within which its Pod says what it waits for, on a busy machine too.
          pendingTimeoutSeconds: 8,
          jobTemplate,
        },
      });
      const seen = await cluster.until("two runs", (seen) => seen.jobsOf("pending").length >= 2 && seen);
      const [first] = atLeast(1, seen.jobsOf("pending"));
      const failed = first.status?.conditions?.find(({ type }) => type === "Failed");
      assertEquals(failed?.reason, "PendingTimeout");
      const told = /: pod pending-\S+ waits: CreateContainerConfigError: secret "missing" not found$/;
      await cluster.until(
        "what its Pod waited for",
        (seen) => seen.events("pending", "PendingTimeout").some(({ message }) => told.test(message ?? "")),
      );
      await cluster.delete("pending");
    },

    "Failures in a row pause it, and a change of the spec ends that": async () => {
      const jobTemplate = failingOnce("echo no such table; exit 3");
      await cluster.apply({ name: "failing", spec: { schedule: "@every 4s", pauseAfterFailures: 2, jobTemplate } });
      const reasonOf = (seen: Seen) => seen.status("failing").conditions?.find(({ type }) => type === "Ready")?.reason;
      const failedRun = (seen: Seen) => seen.status("failing").recentRuns?.find(({ outcome }) => outcome === "Failed");
      const paused = await cluster.until(
        "the pause",
        (seen) => reasonOf(seen) === "PausedAfterFailures" && failedRun(seen) && seen,
      );
      const said = /^Job has reached .*: exit 3: no such table$/;
      assertMatch(failedRun(paused)?.message ?? "", said);
      await passed(Date.now() + 5_000);
      assertEquals((await cluster.look()).jobsOf("failing").length, paused.jobsOf("failing").length);
      await cluster.patch("failing", { jobTemplate: failingOnce("true") });
      await cluster.until("a success", (seen) => (seen.status("failing").counts?.succeeded ?? 0) > 0);
      await cluster.delete("failing");
    },

    "A success removes the failed Jobs before it, and the status has what they said": async () => {
      const spec = { schedule: "@every 4s", failedJobs: "KeepUntilSuccess" as const, failedJobsHistoryLimit: 5 };
      await cluster.apply({
        name: "cleared",
        spec: { ...spec, jobTemplate: failingOnce("echo no such table; exit 3") },
      });
      const failedJobs = (seen: Seen) =>
        seen.jobsOf("cleared").filter(({ status }) => status?.conditions?.some(({ type }) => type === "Failed"));
      await cluster.until("a failed Job", (seen) => failedJobs(seen).length > 0);
      await cluster.patch("cleared", { jobTemplate: failingOnce("true") });
      const seen = await cluster.until(
        "a success, and no failed Job",
        (seen) => (seen.status("cleared").counts?.succeeded ?? 0) > 0 && failedJobs(seen).length === 0 && seen,
      );
      const { jobName, terminated } = must(seen.status("cleared").failedRuns?.[0]);
      assertEquals(terminated, { container: "main", exitCode: 3, reason: "Error", message: "no such table\n" });
      assertEquals(seen.jobsOf("cleared").some(({ metadata }) => metadata.name === jobName), false);
      await cluster.delete("cleared");
    },
  });
});
