import { assert, assertEquals, assertMatch } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { type Lease, LEASES } from "../../src/kube/resource.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { temporaryFolder } from "../support/program.ts";
import { Replica } from "../support/replica.ts";
import { test } from "../support/test.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";

/** A leader at work, and an API server that can be made to hang: it takes connections and requests, and answers none. */
async function withHangingServer(
  args: readonly string[],
  check: (leader: Replica, server: ApiServerProcess, hang: (signal: "SIGSTOP" | "SIGCONT") => void) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  await server.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const often = cronJobOf(TUTORIAL, { name: "often", spec: { schedule: "@every 1s" } });
  await server.client.create(TUTORIAL.resource, often);
  const { kubeconfigPath: kubeconfig } = server.address;
  const leader = new Replica({ kubeconfig, namespace: "default", args });
  await using _ = leader.program;
  const hang = (signal: "SIGSTOP" | "SIGCONT") => Deno.kill(server.pid, signal);
  try {
    await leader.program.waitFor(/Started a run of/);
    await check(leader, server, hang);
  } finally {
    hang("SIGCONT");
  }
}

test("a leader whose API server gives no answer steps down at its renew deadline, and writes nothing after", async () => {
  const lease = ["--leader-elect-lease-duration=10s", "--leader-elect-renew-deadline=6s"];
  const args = [...lease, "--leader-elect-retry-period=500ms", "--shutdown-grace", "4s"];
  await withHangingServer(args, async (leader, _server, hang) => {
    const began = performance.now();
    hang("SIGSTOP");
    await leader.program.waitFor(/Stopped leading.*could not be renewed within 6000 ms/);
    const lostAfterMs = performance.now() - began;
    assert(lostAfterMs < 10_000, `It gave up after ${lostAfterMs} ms only, when another one may lead`);
    assertEquals((await leader.program.end()).code, 1, leader.program.output);
    assert(performance.now() - began < 20_000, leader.program.output);
  });
});

test("a leader that is asked to end while its API server gives no answer ends within its grace", async () => {
  // Half of it is for work under way, which ends well before the lease is lost for want of renewals (10 s).
  await withHangingServer(["--shutdown-grace", "8s"], async (leader, server, hang) => {
    // The first run is recorded, and its connection free: the next one leaves over it.
    await new Promise((resolve) => setTimeout(resolve, 400));
    hang("SIGSTOP");
    // So that work is under way.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const began = performance.now();
    const { code } = await leader.program.end("SIGTERM");
    const tookMs = performance.now() - began;
    assert(tookMs < 15_000, `It took ${tookMs} ms: ${leader.program.output}`);
    assertEquals(code, 0, leader.program.output);
    // Whether anything had left by then that may still take effect, or the release itself gets no answer.
    assertMatch(
      leader.program.output,
      /Keep the lease until it runs out|Cannot release the leadership, it will run out/,
    );
    hang("SIGCONT");
    const lease: Lease = await server.client.get(LEASES, {
      namespace: "default",
      name: "cronjob-controller",
    });
    assert(lease.spec?.holderIdentity, "It gave the lease back although work was under way");
  });
});
