import { assertEquals, assertRejects } from "@std/assert";
import { StartError } from "../../src/kubelet/container_runtime.ts";
import { launch } from "../../src/kubelet/engine/launch.ts";
import { RunFiles } from "../../src/kubelet/run_files.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { isRunning, pidIn, until } from "./support.ts";

test("An engine that does not come to an end with a launch is killed, with what it has started", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const files = new RunFiles(folder.path, 0);
  const script = `sleep 1000 & echo $! >${folder.path}/child; echo "pulling" >&2; echo $$ >${folder.path}/pid; wait`;
  const launched = launch(files, { attempt: "a", argv: ["/bin/sh", "-c", script], env: {}, clock });
  const [child, pid] = [await pidIn(`${folder.path}/child`), await pidIn(`${folder.path}/pid`)];
  await clock.advance(4 * 60_000 - 1);
  assertEquals([child, pid].map(isRunning), [true, true]);
  await clock.advance(1);
  const complaint = "pulling\n\nError: the engine took longer than 240 s";
  assertEquals(await launched, { code: 124, complaint });
  await until(() => !isRunning(child));
});

test("No time limit is left of a launch that ends", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const options = { attempt: "a", argv: ["/bin/sh", "-c", "exit 3"], env: {}, clock };
  assertEquals(await launch(new RunFiles(folder.path, 0), options), { code: 3, complaint: "" });
  assertEquals(clock.pending, 0);
});

test("Variables that are longer than a command can have are why a container cannot start", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const options = { attempt: "a", argv: ["true"], env: { LONG: "x".repeat(200 * 1024) }, clock };
  await assertRejects(() => launch(new RunFiles(folder.path, 0), options), StartError, "argument list too long");
  assertEquals(clock.pending, 0);
});
