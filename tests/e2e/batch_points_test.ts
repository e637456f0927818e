// What goes beyond Kubernetes for its own CronJobs, with kubectl against the running program.
import { assertEquals, assertMatch } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { NO_ENDPOINTS, PROGRAM, RunningProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { Cluster, prove, YEARLY } from "./support/cluster.ts";

test("kubectl sees the next run in an annotation, and makes Jobs that count", async () => {
  // The controller for these CronJobs is a process of its own.
  await using cluster = await Cluster.start(BATCH, ["--controllers", "cronjob,job,kubelet,gc,ttl"]);
  await cluster.apply(
    { name: "one-by-hand", spec: { schedule: YEARLY, concurrencyPolicy: "Forbid" }, script: "sleep 60" },
    { name: "hashed", annotations: { schedule: "H H 1 1 *" } },
    { name: "yearly", spec: { schedule: YEARLY } },
  );
  const { kubeconfig } = cluster.standalone;
  const args = ["controller", "--kubeconfig", kubeconfig, "--api", "batch/v1", "--annotate-next-run", ...NO_ENDPOINTS];
  await using _controller = new RunningProgram([...PROGRAM, ...args]);

  await prove({
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

    "schedule takes the place of spec.schedule and knows H; next-schedule-time tells the next run": async () => {
      const next = (name: string) =>
        cluster.until("the next run", (seen) => seen.annotation(name, "next-schedule-time"));
      assertMatch(await next("yearly"), /^\d{4}-01-01T00:00:00Z$/);
      assertMatch(await next("hashed"), /^\d{4}-01-01T15:14:00Z$/);
      assertEquals((await cluster.look()).jobsOf("hashed"), []);
    },
  });
});
