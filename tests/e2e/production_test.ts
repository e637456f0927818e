// The whole program with CronJobs of cronjob-controller.dev/v1.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { Cluster } from "./support/cluster.ts";

test("a CronJob of the production flavour runs, and keeps three runs that succeeded and one that failed", async () => {
  await using cluster = await Cluster.start(PRODUCTION);
  await cluster.apply({ name: "well", spec: DEFAULT_LIMITS }, {
    name: "badly",
    spec: { ...DEFAULT_LIMITS, jobTemplate: failing() },
  });
  await cluster.until("five runs succeeded", (seen) => (seen.status("well").counts?.succeeded ?? 0) >= 5);
  await cluster.until("three runs failed", (seen) => (seen.status("badly").counts?.failed ?? 0) >= 3);
  await cluster.patch("well", { suspend: true });
  await cluster.patch("badly", { suspend: true });
  const rest = await cluster.until("what is kept", (seen) => {
    const [well, badly] = atLeast(2, ["well", "badly"].map((name) => seen.jobsOf(name)));
    return [...well, ...badly].every(({ status }) => status?.conditions?.length) && well.length === 3 &&
      badly.length === 1 && seen;
  });
  const [job] = atLeast(1, rest.jobsOf("well"));
  assertEquals(job.metadata.ownerReferences?.[0]?.apiVersion, "cronjob-controller.dev/v1");
  assertEquals(job.metadata.name, `well-${rest.slotOf(job) / 1_000}`);
  assertMatch(await cluster.kubectl("get", "ccj"), /^NAME +SCHEDULE[^]*\bwell +@every 1s/m);
  assertMatch(await cluster.kubectl("describe", "ccj", "well"), /SuccessfulCreate/);
  assert((await cluster.kubectl("get", "all")).includes("cronjob.cronjob-controller.dev/well"));
});

/** Left out of the manifest, so that the API's own count. */
const DEFAULT_LIMITS = { successfulJobsHistoryLimit: undefined, failedJobsHistoryLimit: undefined };

/** A Job template whose Pods are not tried again. */
function failing() {
  const containers = [{ name: "main", image: "busybox", command: ["sh", "-c", "exit 3"] }];
  return { spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers } } } };
}
