// What goes beyond the tutorial and beyond Kubernetes, with kubectl against the running program: the CRD's fields.
import { assert, assertEquals, assertGreater, assertMatch, assertNotEquals } from "@std/assert";
import { stringify } from "yaml";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { stableHash } from "../../src/schedule/stable_hash.ts";
import { atLeast, must } from "../support/expected.ts";
import { kubectl } from "../support/program.ts";
import { test } from "../support/test.ts";
import { Cluster, createdAt, manifestOf, passed, prove, type Seen, YEARLY } from "./support/cluster.ts";

/** Jobs that fail with their first Pod, as the script does. */
function failingOnce(script: string) {
  const container = {
    name: "main",
    image: "busybox",
    command: ["sh", "-c", script],
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  return {
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never" as const, containers: [container] } } },
  };
}

test("kubectl sees each of the CRD's own features at work", async () => {
  await using cluster = await Cluster.start(TUTORIAL);
  await prove({
    "1. An edit of the schedule is noted with its time, and starts nothing from before": async () => {
      await cluster.apply({ name: "edited", spec: { schedule: YEARLY } });
      const made = await cluster.until("a status", (seen) => seen.status("edited").schedule && seen.cronJob("edited"));
      await passed(createdAt(made) + 4_000);
      // Seldom enough that the edit is noted before a run is due, on a busy machine too.
      await cluster.patch("edited", { schedule: "@every 10s" });
      const { schedule } = await cluster.until(
        "the edit",
        (seen) => seen.status("edited").schedule?.text === "@every 10s" && seen.status("edited"),
      );
      const since = Date.parse(schedule!.since);
      assertGreater(since, createdAt(made) + 3_000);
      const slots = await cluster.until("a run", (seen) => seen.jobsOf("edited").length > 0 && seen.slotsOf("edited"));
      for (const slot of slots) {
        const offset = slot - since;
        assert(offset > 0 && offset % 10_000 === 0, `It is not of the new schedule: ${offset} ms after the edit`);
      }
      await cluster.delete("edited");
    },

    "1. Resuming starts the latest missed run, and none with onResume None": async () => {
      const spec = { schedule: "@every 4s", suspend: true };
      await cluster.apply({ name: "resumed", spec }, { name: "refreshed", spec: { ...spec, onResume: "None" } });
      const made = createdAt((await cluster.look()).cronJob("refreshed"));
      await passed(made + 5_000);
      const before = Date.now();
      // In this order: by the time that the second is patched, more of its times may have passed.
      await cluster.patch("resumed", { suspend: false });
      await cluster.patch("refreshed", { suspend: false });
      const seen = await cluster.until(
        "a run of both",
        (seen) => ["resumed", "refreshed"].every((name) => seen.jobsOf(name).length > 0) && seen,
      );
      assert(must(seen.slotsOf("refreshed")[0]) > before - 1_000, "A run from before the resumption was started");
      assert(must(seen.slotsOf("resumed")[0]) <= must(seen.slotsOf("refreshed")[0]));
      await cluster.delete("resumed", "refreshed");
    },

    "2. catchUp All starts every missed run": async () => {
      await cluster.apply({ name: "caught-up", spec: { suspend: true, catchUp: { policy: "All", maxParallel: 10 } } });
      const made = createdAt((await cluster.look()).cronJob("caught-up"));
      await passed(made + 4_000);
      await cluster.patch("caught-up", { suspend: false });
      const isMissed = (slot: number) => slot <= made + 4_000;
      const slots = await cluster.until("the missed runs", (seen) => {
        const slots = seen.slotsOf("caught-up").filter(isMissed);
        return slots.length >= 4 && slots;
      });
      assertEquals(slots.map((slot) => slot - made), [1000, 2000, 3000, 4000]);
      await cluster.delete("caught-up");
    },

    "3. Forbid never has two at a time, and says what waits, and what it skipped": async () => {
      await cluster.apply({ name: "alone", spec: { concurrencyPolicy: "Forbid" }, script: "sleep 2.5" });
      const seen = await cluster.until(
        "two runs",
        (seen) => (seen.status("alone").counts?.succeeded ?? 0) >= 2 && seen,
      );
      const jobs = seen.jobsOf("alone");
      for (const [index, job] of jobs.slice(1).entries()) {
        const end = Date.parse(must(jobs[index]).status?.completionTime ?? "");
        assert(createdAt(job) >= end, `${job.metadata.name} ran beside another`);
      }
      assertGreater(seen.status("alone").counts!.skipped, 0);
      await cluster.until("its Event", (seen) => seen.events("alone", "JobAlreadyActive").length > 0);
      assertMatch(await cluster.kubectl("describe", "tcj", "alone"), /JobAlreadyActive/);
      await cluster.delete("alone");
    },

    "4. Queue lets one run wait, and maxConcurrentRuns limits the others": async () => {
      await cluster.apply(
        { name: "queued", spec: { concurrencyPolicy: "Queue" }, script: "sleep 2.5" },
        { name: "two", spec: { maxConcurrentRuns: 2 }, script: "sleep 60" },
      );
      await cluster.until("a run that waits", (seen) => seen.status("queued").queuedScheduleTime);
      const { active } = await cluster.until(
        "a run that waits",
        (seen) => seen.status("two").recentRuns?.some(({ outcome }) => outcome === "Waiting") && seen.status("two"),
      );
      assertEquals(active?.length, 2);
      await cluster.delete("queued", "two");
    },

    "4. Replace starts the next run when the one before is going away": async () => {
      await cluster.apply({
        name: "replaced",
        spec: { schedule: "@every 3s", concurrencyPolicy: "Replace" },
        script: "sleep 60",
      });
      const seen = await cluster.until(
        "a replacement",
        (seen) => seen.events("replaced", "SuccessfulDelete").length > 0 && seen.status("replaced").active && seen,
      );
      assertEquals(seen.status("replaced").active?.length, 1);
      assertEquals(seen.events("replaced", "MissingJob"), []);
      await cluster.delete("replaced");
    },

    "5. The status tells next and last run, counts and conditions": async () => {
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

    "6. A trigger starts one Job for each id": async () => {
      await cluster.apply({ name: "by-hand", spec: { schedule: YEARLY, suspend: true }, script: "echo by hand" });
      for (const id of ["first", "first", "second"]) {
        await cluster.annotate("by-hand", `trigger=${id}`);
        await cluster.until("the answer", (seen) => seen.status("by-hand").lastTrigger === id);
      }
      const recentRuns = (seen: Seen) => seen.status("by-hand").recentRuns ?? [];
      const seen = await cluster.until("both runs", (seen) => recentRuns(seen).length > 1 && seen);
      assertEquals(recentRuns(seen).map(({ trigger }) => trigger), ["Manual", "Manual"]);
      assertEquals(seen.jobsOf("by-hand").length, 2);
    },

    "7. A pause says why and ends by itself; nothing runs before the start or after the end": async () => {
      const time = (ms: number) => new Date(ms).toISOString().replace(".000", "");
      const applied = async (ahead: number): Promise<number> => {
        const start = Math.floor(Date.now() / 1000) * 1000 + ahead;
        await cluster.apply(
          { name: "paused", spec: { pause: { reason: "Moving house" } } },
          { name: "resting", spec: { schedule: "@every 3s", pause: { until: time(start) } } },
          { name: "bounded", spec: { startTime: time(start), endTime: time(start + 1_000) } },
        );
        if (createdAt((await cluster.look()).cronJob("bounded")) < start - 1_000) return start;
        // kubectl was so slow that the start had passed.
        const names = ["paused", "resting", "bounded"];
        await cluster.delete(...names);
        await cluster.until("the end of their Jobs", (seen) => names.every((name) => seen.jobsOf(name).length === 0));
        return applied(2 * ahead);
      };
      const start = await applied(8_000);
      const ready = await cluster.until(
        "the pause",
        (seen) =>
          seen.status("paused").conditions?.find(({ type, status }) => type === "Suspended" && status === "True"),
      );
      assertEquals([ready.reason, ready.message], ["Paused", "Moving house"]);
      await cluster.until("a run after the pause", (seen) => seen.jobsOf("resting").length > 0);
      const seen = await cluster.until(
        "the end",
        (seen) => seen.status("bounded").conditions?.some(({ reason }) => reason === "Ended") && seen,
      );
      assertGreater(seen.jobsOf("bounded").length, 0);
      for (const slot of seen.slotsOf("bounded")) {
        assert(slot >= start && slot <= start + 1_000, "It ran out of bounds");
      }
      for (const job of seen.jobsOf("resting")) assert(createdAt(job) >= start, "It ran in its pause");
      assertEquals(seen.jobsOf("paused"), []);
      await cluster.delete("resting");
    },

    "8. spreadSeconds starts each run by the same distance after its time": async () => {
      const names = ["spread-a", "spread-b", "spread-c"];
      const spec = { schedule: "@every 4s", spreadSeconds: 4 };
      await cluster.apply(...names.map((name) => ({ name, spec })));
      const seen = await cluster.until(
        "two runs of each",
        (seen) => names.every((name) => seen.jobsOf(name).length >= 2) && seen,
      );
      for (const name of names) {
        const offset = stableHash(seen.cronJob(name).metadata.uid) % 4 * 1000;
        for (const job of seen.jobsOf(name)) assert(createdAt(job) - seen.slotOf(job) >= offset, `${name} came early`);
      }
      await cluster.delete(...names);
    },

    "9. The scheduled time reaches the process": async () => {
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

    "10. A name that leaves no room for those of Jobs is refused": async () => {
      const manifest = stringify(manifestOf(TUTORIAL, { name: "n".repeat(53) }));
      const { code, stderr } = await kubectl(cluster.standalone.kubeconfig, ["apply", "-f", "-"], manifest);
      assertNotEquals(code, 0);
      assertMatch(stderr, /metadata\.name/);
    },

    "11. A Job whose Pod never starts fails, and under Forbid the next run starts": async () => {
      const secret = { secretRef: { name: "missing" } };
      const container = { name: "main", image: "busybox", command: ["true"], envFrom: [secret] };
      const template = { spec: { restartPolicy: "Never" as const, containers: [container] } };
      await cluster.apply({
        name: "pending",
        spec: {
          schedule: "@every 2s",
          concurrencyPolicy: "Forbid",
          // Within which its Pod says what it waits for, on a busy machine too.
          pendingTimeoutSeconds: 8,
          jobTemplate: { spec: { backoffLimit: 0, template } },
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

    "12. Failures in a row pause it, and a change of the spec ends that": async () => {
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

    "13. Excluded times start nothing": async () => {
      const [from, to] = atLeast(
        2,
        [Date.now() - 60_000, Date.now() + 3_600_000].map((time) =>
          new Date(Math.floor(time / 60_000) * 60_000).toISOString()
        ),
      );
      await cluster.apply(
        { name: "excluded", spec: { exclude: [{ from, to }] } },
        { name: "not-excluded", spec: { exclude: [{ from: "2020-01-01", to: "2020-01-02" }] } },
      );
      const seen = await cluster.until("runs", (seen) => seen.jobsOf("not-excluded").length >= 3 && seen);
      assertEquals(seen.jobsOf("excluded"), []);
      assertEquals(seen.status("excluded").counts?.missed, 0);
      assertEquals(seen.status("excluded").nextScheduleTime, to.replace(".000Z", "Z"));
      await cluster.delete("excluded", "not-excluded");
    },

    "15. A back-fill runs what lies in the past": async () => {
      const minute = Math.floor(Date.now() / 60_000);
      const iso = (minutesAgo: number) => new Date((minute - minutesAgo) * 60_000).toISOString().replace(".000Z", "Z");
      const backfill = { id: "past", from: iso(10), to: iso(4), maxActive: 2 };
      await cluster.apply({ name: "back", spec: { schedule: "* * * * *", suspend: true, backfill } });
      const status = await cluster.until("its end", (seen) => {
        const { backfill } = seen.status("back");
        return backfill?.state === "Completed" && backfill;
      });
      assertEquals([status.slots, status.succeeded, status.failed], [6, 6, 0]);
      const seen = await cluster.until(
        "its Event",
        (seen) => seen.events("back", "BackfillCompleted").length > 0 && seen,
      );
      assertEquals(seen.status("back").lastScheduleTime, undefined);
      await cluster.delete("back");
    },

    "16. A success removes the failed Jobs before it, and the status has what they said": async () => {
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

    "14. Several schedules share a CronJob": async () => {
      const schedules = [{ schedule: "@every 2s" }, { schedule: "@every 3s" }];
      const spec = { schedules, catchUp: { policy: "All" as const }, successfulJobsHistoryLimit: 100 };
      await cluster.apply({ name: "several", spec });
      const offsets = (seen: Seen) => {
        const since = Date.parse(seen.status("several").schedule?.since ?? "");
        return seen.slotsOf("several").map((slot) => slot - since).filter((offset) => offset <= 6_000);
      };
      const seen = await cluster.until("four runs", (seen) => offsets(seen).length >= 4 && seen);
      assertEquals(offsets(seen), [2_000, 3_000, 4_000, 6_000]);
      await cluster.delete("several");
    },
  });
});
