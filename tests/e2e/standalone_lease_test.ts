import { assertEquals, assertMatch } from "@std/assert";
import { kubectlOk, runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { Replica } from "../support/replica.ts";
import { test } from "../support/test.ts";

const YEARLY = ["create", "cronjob", "yearly", "--image=busybox", "--schedule=0 0 1 1 *", "--", "true"];

test("the Lease says who runs CronJobs on a workstation: standalone, or a controller beside it", async () => {
  await using folder = await temporaryFolder();
  const runner = async ({ kubeconfig }: Standalone) => {
    const { stdout } = await runProgram(["status", "-o", "json", "--kubeconfig", kubeconfig]);
    return JSON.parse(stdout)[0].runner;
  };
  const controllerOf = ({ kubeconfig }: Standalone) =>
    new Replica({ kubeconfig, namespace: "default", args: ["--api", "batch/v1"] });
  {
    await using standalone = await Standalone.start(folder.path);
    await kubectlOk(standalone.kubeconfig, YEARLY);
    assertMatch(await kubectlOk(standalone.kubeconfig, ["get", "leases"]), /^cronjob-controller +standalone /m);
    const why = "standalone leads (Lease default/cronjob-controller)";
    assertEquals(await runner(standalone), { by: "cronjob-controller", leads: "yes", why });
    const controller = controllerOf(standalone);
    await using _ = controller.program;
    await controller.standsBy();
    await standalone.program.end("SIGKILL");
  }
  await using bare = await Standalone.start(folder.path, ["--controllers", "gc"]);
  const { by, reason } = await runner(bare);
  assertEquals([by, reason], ["none", "NoController"]);
  const controller = controllerOf(bare);
  await using _ = controller.program;
  await controller.program.waitFor(/Took over/);
  const { leads, why } = await runner(bare);
  assertEquals(leads, "yes");
  assertMatch(why, new RegExp(`^${Deno.hostname()}_\\S+ leads `));
});
