// What `helm install --wait` makes of a release that holds a CronJob: `deno task test:chart` (needs helm 4 on PATH).
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { Running } from "../../cronjob/support/running.ts";
import { kstatusOf } from "../../support/kstatus.ts";
import { temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { helm, helmOk } from "../support/real_helm.ts";

const NOW = "2026-03-10T08:30:20Z";
const CONTAINER = { name: "main", image: "busybox" };
const JOB_TEMPLATE = { spec: { template: { spec: { restartPolicy: "Never", containers: [CONTAINER] } } } };
const CRON_JOB = {
  apiVersion: PRODUCTION.apiVersion,
  kind: PRODUCTION.resource.kind,
  metadata: { name: "c" },
};

/** A cluster with our controllers, and a chart of one CronJob whose spec is in its values. */
async function startCluster() {
  const stack = new AsyncDisposableStack();
  const running = stack.use(await Running.start(NOW));
  const { path: chart } = stack.use(await temporaryFolder());
  const { path: home } = stack.use(await temporaryFolder());
  await Deno.mkdir(`${chart}/templates`);
  await Deno.writeTextFile(`${chart}/Chart.yaml`, "apiVersion: v2\nname: one\nversion: 1.0.0\n");
  const cronJob = JSON.stringify(CRON_JOB).replace(/}$/, ',"spec":{{ toJson .Values.spec }}}');
  await Deno.writeTextFile(`${chart}/templates/cronjob.yaml`, cronJob);
  const env = { KUBECONFIG: running.server.server.kubeconfigPath, HOME: home };
  const parameters = (args: readonly string[], spec: Partial<CronJobSpec>) =>
    [[args[0]!, "one", chart, "--namespace", "default", "--wait", ...args.slice(1)], {
      env,
      values: { spec: { schedule: "0 * * * *", jobTemplate: JOB_TEMPLATE, ...spec } },
    }] as const;
  return {
    running,
    helm: (args: readonly string[], spec: Partial<CronJobSpec>) => helmOk(...parameters(args, spec)),
    tryHelm: (args: readonly string[], spec: Partial<CronJobSpec>) => helm(...parameters(args, spec)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const WHOLE: Record<string, Partial<CronJobSpec>> = {
  suspended: { suspend: true },
  paused: { pause: { reason: "migration" } },
  ended: { endTime: "2026-03-10T08:00:00Z" },
  excluded: { exclude: [{ schedule: "* * * * *" }] },
  waiting: {},
  running: { schedule: "@every 1s", concurrencyPolicy: "Forbid" },
};

for (const [state, spec] of Object.entries(WHOLE)) {
  test(`helm install --wait ends with a CronJob that is ${state}`, async () => {
    await using cluster = await startCluster();
    await cluster.helm(["install", "--timeout", "5s"], spec);
    const { status, message } = kstatusOf(await cluster.running.get(PRODUCTION));
    assertEquals(status, "Current", message);
    if (state === "running") {
      await cluster.running.until("a run", async () => (await cluster.running.jobs()).length > 0);
    }
    await cluster.helm(["upgrade", "--timeout", "5s"], { ...spec, successfulJobsHistoryLimit: 7 });
  });
}

test("helm install --wait fails with a CronJob whose schedule cannot be followed, and says why", async () => {
  await using cluster = await startCluster();
  const { code, stderr } = await cluster.tryHelm(["install", "--timeout", "10s"], { timeZone: "Europe/Atlantis" });
  assertNotEquals(code, 0);
  assertMatch(stderr, /status: Failed, message: .*Europe\/Atlantis/);
});
