import { assertEquals, assertRejects } from "@std/assert";
import { spawn } from "node:child_process";
import { EngineError } from "../../../../src/kubelet/engine/api/engine_error.ts";
import { PodmanService } from "../../../../src/kubelet/engine/api/podman_service.ts";
import { identityOf, isAlive } from "../../../../src/kubelet/process/identity.ts";
import { SystemClock } from "../../../../src/base/clock.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { test } from "../../../support/test.ts";

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
