// What goes beyond Kubernetes for its own CronJobs, with kubectl against the running program: the annotations.
import { assert, assertEquals, assertGreater, assertMatch, assertNotEquals } from "@std/assert";
import { stringify } from "yaml";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { stableHash } from "../../src/schedule/stable_hash.ts";
import { atLeast } from "../support/expected.ts";
import { kubectl, NO_ENDPOINTS, PROGRAM, RunningProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { Cluster, createdAt, manifestOf, passed, prove, YEARLY } from "./support/cluster.ts";

/** Everything but the controller for these CronJobs, which begins when all has been prepared: after an outage. */
const REST = ["--controllers", "cronjob,job,kubelet,gc,ttl"];

const EVERY_4S = { schedule: "@every 4s" };

test("kubectl sees each annotation for batch/v1 CronJobs at work", async () => {
  await using cluster = await Cluster.start(BATCH, REST);
  const spreads = ["spread-a", "spread-b", "spread-c"];
  await cluster.apply(
    { name: "edited", spec: { schedule: YEARLY } },
    { name: "edited-quietly", spec: { schedule: YEARLY }, annotations: { "on-edit": "None" } },
    { name: "resumed", spec: { ...EVERY_4S, suspend: true } },
    { name: "resumed-quietly", spec: { ...EVERY_4S, suspend: true }, annotations: { "on-resume": "None" } },
    { name: "latest" },
    { name: "all", spec: { concurrencyPolicy: "Forbid" }, annotations: { "catch-up": "All" } },
    {
      name: "punctual",
      spec: { schedule: "@every 6s" },
      annotations: { "catch-up": '{"policy":"None","windowSeconds":1}' },
    },
    { name: "by-hand", spec: { schedule: YEARLY, suspend: true } },
    { name: "one-by-hand", spec: { schedule: YEARLY, concurrencyPolicy: "Forbid" }, script: "sleep 60" },
    ...spreads.map((name) => ({ name, spec: EVERY_4S, annotations: { "spread-seconds": "4" } })),
    {
      name: "exposed",
      annotations: { "expose-schedule": "true" },
      script: "echo $CRON_SCHEDULED_TIME $CRON_TRIGGER",
    },
    { name: "hashed", annotations: { schedule: "H H 1 1 *" } },
    { name: "yearly", spec: { schedule: YEARLY } },
    { name: "mistaken", annotations: { "catch-up": "Sometimes" } },
  );
  await passed(createdAt((await cluster.look()).cronJob("mistaken")) + 5_000);
  const before = Date.now();
  await Promise.all([
    ...["edited", "edited-quietly"].map((name) => cluster.patch(name, EVERY_4S)),
    ...["resumed", "resumed-quietly"].map((name) => cluster.patch(name, { suspend: false })),
  ]);
  const { kubeconfig } = cluster.standalone;
  const args = ["controller", "--kubeconfig", kubeconfig, "--api", "batch/v1", "--annotate-next-run", ...NO_ENDPOINTS];
  await using _controller = new RunningProgram([...PROGRAM, ...args]);
  /** The first run that the controller started: its scheduled time, its start, and when the CronJob was made. */
  const firstRun = async (name: string) => {
    const [seen, job] = await cluster.until(`a run of ${name}`, (seen) => {
      const [job] = seen.jobsOf(name);
      return job && [seen, job] as const;
    });
    return { slot: seen.slotOf(job), started: createdAt(job), made: createdAt(seen.cronJob(name)) };
  };

  await prove({
    "on-edit: None starts no run from before the edit, where Kubernetes does": async () => {
      const quietly = await firstRun("edited-quietly");
      assertGreater(quietly.slot, before - 1_000);
      assert((await firstRun("edited")).slot <= quietly.slot);
    },

    "on-resume: None starts no run from before the resumption, where Kubernetes does": async () => {
      const quietly = await firstRun("resumed-quietly");
      assertGreater(quietly.slot, before - 1_000);
      assert((await firstRun("resumed")).slot <= quietly.slot);
    },

    "catch-up: All begins with the oldest missed run, None with the next, Kubernetes with the latest": async () => {
      const [all, latest, punctual] = atLeast(3, await Promise.all(["all", "latest", "punctual"].map(firstRun)));
      assertEquals(all.slot - all.made, 1_000);
      assertGreater(latest.slot - latest.made, 3_000);
      assert(punctual.started - punctual.slot <= 3_000, "A run was started that is later than its window");
    },

    "trigger starts one Job for each id": async () => {
      for (const id of ["first", "first", "second"]) {
        await cluster.annotate("by-hand", `trigger=${id}`);
        await cluster.until("the answer", (seen) => seen.annotation("by-hand", "last-trigger") === id);
      }
      assertEquals((await cluster.look()).jobsOf("by-hand").length, 2);
    },

    "trigger obeys the concurrency policy, to which a Job by kubectl create job counts too": async () => {
      await cluster.kubectl("create", "job", "with-kubectl", "--from=cronjob/one-by-hand");
      await cluster.until("the Job", (seen) => seen.status("one-by-hand").active?.[0]?.name === "with-kubectl");
      await cluster.annotate("one-by-hand", "trigger=too-soon");
      const seen = await cluster.until(
        "the refusal",
        (seen) => seen.events("one-by-hand", "JobAlreadyActive").length > 0 && seen,
      );
      assertEquals(seen.jobsOf("one-by-hand").length, 1);
      assertEquals(seen.events("one-by-hand", "UnexpectedJob"), []);
    },

    "spread-seconds starts each run by the same distance after its time": async () => {
      for (const name of spreads) {
        const { slot, started } = await firstRun(name);
        const offset = stableHash((await cluster.look()).cronJob(name).metadata.uid) % 4 * 1000;
        assert(started - slot >= offset, `${name} came early`);
      }
    },

    "expose-schedule lets the scheduled time reach the process": async () => {
      const job = await cluster.until(
        "a run",
        (seen) => seen.jobsOf("exposed").find(({ status }) => status?.succeeded),
      );
      const log = await cluster.kubectl("logs", `job/${job.metadata.name}`);
      const slot = Date.parse(job.metadata.annotations?.[BATCH.scheduledTimeAnnotation] ?? "");
      assertEquals(log, `${new Date(slot).toISOString().replace(".000", "")} Schedule\n`);
    },

    "schedule takes the place of spec.schedule and knows H; next-schedule-time tells the next run": async () => {
      const next = (name: string) =>
        cluster.until("the next run", (seen) => seen.annotation(name, "next-schedule-time"));
      assertMatch(await next("yearly"), /^\d{4}-01-01T00:00:00Z$/);
      assertMatch(await next("hashed"), /^\d{4}-01-01T15:14:00Z$/);
      assertEquals((await cluster.look()).jobsOf("hashed"), []);
    },

    "A bad annotation gives a warning, and the CronJob runs as Kubernetes would run it": async () => {
      await firstRun("mistaken");
      const [warning] = atLeast(
        1,
        await cluster.until("the warning", (seen) => {
          const warnings = seen.events("mistaken", "InvalidAnnotation");
          return warnings.length > 0 && warnings;
        }),
      );
      assertEquals(warning.type, "Warning");
      assertMatch(warning.message ?? "", /catch-up: "Sometimes" is ignored: must be one of Latest, All, None/);
    },

    "A name that leaves no room for those of Jobs is refused": async () => {
      const manifest = stringify(manifestOf(BATCH, { name: "n".repeat(53) }));
      const { code, stderr } = await kubectl(kubeconfig, ["apply", "-f", "-"], manifest);
      assertNotEquals(code, 0);
      assertMatch(stderr, /metadata\.name/);
    },
  });
});
