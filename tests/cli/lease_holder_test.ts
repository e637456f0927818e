import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { addAdoptCommand } from "../../src/cli/adopt/command.ts";
import { assertNoOtherController } from "../../src/cli/controller/other_controller.ts";
import { claimLease } from "../../src/cli/standalone/lease.ts";
import { holderOf, KUBERNETES_LEASE, OUR_LEASE } from "../../src/cli/cluster/lease_holder.ts";
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { writeServes } from "../../src/cronjob/api/serves.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { LEASES, NAMESPACES } from "../../src/kube/resource.ts";
import { formatMicroTime } from "../../src/base/epoch_ms.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";

async function hold(
  { client }: TestApiServer,
  { name, namespace }: typeof OUR_LEASE,
  renewedAt: number,
  holder = "a_1",
) {
  const metadata = { name: namespace };
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata }).catch(() => {});
  const spec = { holderIdentity: holder, renewTime: formatMicroTime(renewedAt), leaseDurationSeconds: 15 };
  const apiVersion = "coordination.k8s.io/v1";
  await client.delete(LEASES, { name, namespace }).catch(() => {});
  await client.create(LEASES, { apiVersion, kind: "Lease", metadata: { name, namespace }, spec });
}

async function nightly({ client }: TestApiServer): Promise<void> {
  await client.create(BATCH.resource, cronJobOf(BATCH, { name: "nightly", spec: { schedule: "0 2 * * *" } }));
}

test("adopt refuses where no controller is to be seen, unless it is forced", async () => {
  await using api = await startTestApiServer();
  await nightly(api);
  const adopt = (...args: string[]) =>
    runCommand(addAdoptCommand, "adopt", "nightly", ...args, "--kubeconfig", api.server.kubeconfigPath);
  await assertRejects(() => adopt(), Error, "Nothing is adopted: default/nightly would run nowhere");
  assertMatch((await adopt("--dry-run")).stdout, /suspend: true/);
  await hold(api, OUR_LEASE, Date.now() - 60_000);
  await assertRejects(() => adopt(), Error, "as no controller leads: Lease");
  await hold(api, OUR_LEASE, Date.now());
  const body = {
    metadata: { annotations: writeServes({ apis: ["a/v1"], managedOnly: false, namespaces: [] }, "a_1") },
  };
  await api.client.patch(LEASES, OUR_LEASE, { type: "merge", body });
  await assertRejects(() => adopt(), Error, "runs CronJobs of a/v1, and none of batch/v1");
  await hold(api, OUR_LEASE, Date.now());
  assertMatch((await adopt()).stdout, /Adopted CronJob default\/nightly/);
  await api.client.delete(BATCH.resource, { name: "nightly", namespace: "default" });
  await nightly(api);
  await api.client.delete(LEASES, OUR_LEASE);
  assertMatch((await adopt("--force")).stdout, /Adopted CronJob default\/nightly/);
});

test("adopt takes a Lease that says what its holder runs for a controller, as standalone holds one", async () => {
  await using api = await startTestApiServer();
  await nightly(api);
  await claimLease(api.client, { clock: new SystemClock(), flavours: [BATCH] });
  const { stdout } = await runCommand(addAdoptCommand, "adopt", "nightly", "--kubeconfig", api.server.kubeconfigPath);
  assertMatch(stdout, /Adopted CronJob default\/nightly/);
});

test("standalone starts though its Lease cannot be written", async () => {
  const full = () => Promise.reject(new ApiError("database or disk is full", { code: 500 }));
  await claimLease({ get: full, patch: full } as never, { clock: new SystemClock(), flavours: [BATCH] });
  await claimLease({ get: full, patch: full } as never, { clock: new SystemClock(), flavours: [] });
});

test("controller does not run all of batch/v1 beside kube-controller-manager, unless it is forced", async () => {
  await using api = await startTestApiServer();
  const start = (options: Partial<Parameters<typeof assertNoOtherController>[1]>) =>
    assertNoOtherController(api.client, { api: [BATCH], managedOnly: false, force: false, ...options }, Date.now());
  await start({});
  await hold(api, KUBERNETES_LEASE, Date.now(), "control-plane_1");
  await assertRejects(() => start({}), Error, "kube-controller-manager is held by control-plane_1");
  await start({ force: true });
  await start({ managedOnly: true });
  await start({ api: [TUTORIAL] });
  await hold(api, KUBERNETES_LEASE, Date.now() - 60_000);
  await start({});
});

test("who holds a Lease is who renewed it in time, as far as clocks agree", () => {
  const lease = { kind: "lease", key: "a/b", heldSince: 0, renewedAt: 0, endsAt: 15_000 } as const;
  assertEquals(holderOf({ ...lease, holder: "x" }, 44_000), "x");
  assertEquals(holderOf({ ...lease, holder: "x" }, 46_000), undefined);
  assertEquals(holderOf({ ...lease, holder: "" }, 1_000), undefined);
  assertEquals(holderOf({ kind: "forbidden", key: "a/b" }, 0), undefined);
});
