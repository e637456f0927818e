import { assertEquals, assertRejects } from "@std/assert";
import { spawn } from "node:child_process";
import { EngineError } from "../../../../src/kubelet/engine/api/engine_error.ts";
import { PodmanService } from "../../../../src/kubelet/engine/api/podman_service.ts";
import { bootId, identityOf, isAlive } from "../../../../src/kubelet/process/identity.ts";
import { SystemClock } from "../../../../src/base/clock.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { test } from "../../../support/test.ts";
import { until } from "../../support/test_kubelet.ts";

test("A process that has the pid of a service of an earlier boot is let alone", async () => {
  await using folder = await temporaryFolder();
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const identity = identityOf(child.pid!)!;
  const record = { bootId: "another", identity, args: ["--none"], folder: `${folder.path}/none` };
  Deno.writeTextFileSync(`${folder.path}/podman-service.json`, JSON.stringify(record));
  const service = new PodmanService({ args: ["--none"], dataDir: folder.path, clock: new SystemClock() });
  // There is no podman, or it does not know the argument.
  await assertRejects(() => service.path(), EngineError);
  assertEquals(isAlive(identity), true);
  child.kill("SIGKILL");
  await ended;
});

/** Has the system refuse all signals, as it does for processes of another user. */
function withoutSignals(): Disposable {
  const { kill } = Deno;
  Deno.kill = () => {
    throw new Deno.errors.PermissionDenied("EPERM");
  };
  return { [Symbol.dispose]: () => void (Deno.kill = kill) };
}

test("A former service of another user does not stand in the way of one of ours", async () => {
  await using folder = await temporaryFolder();
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const record = { bootId: bootId(), identity: identityOf(child.pid!)!, args: [], folder: `${folder.path}/none` };
  Deno.writeTextFileSync(`${folder.path}/podman-service.json`, JSON.stringify(record));
  const clock = new FakeClock();
  const service = new PodmanService({ args: ["--none"], dataDir: folder.path, clock });
  using _refusing = withoutSignals();
  let isOver = false;
  // There is no podman, or it does not know the argument.
  const refused = assertRejects(() => service.path(), EngineError).finally(() => isOver = true);
  await clock.advance(10_000);
  await until(async () => {
    await clock.advance(50);
    return isOver;
  });
  await refused;
  child.kill("SIGKILL");
  await ended;
});
