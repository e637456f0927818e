import { assertEquals, assertRejects } from "@std/assert";
import { runtimesFor } from "../../src/cli/standalone/container_runtimes.ts";
import { FlagError } from "../../src/cli/errors.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

type Choices = Parameters<typeof runtimesFor>[0]["containerRuntime"];

function runtimesOf(containerRuntime: Choices, ...containerRuntimeArgs: string[]) {
  const options = { containerRuntime, containerRuntimeArgs, allowHostPath: [], allowPrivileged: false };
  return runtimesFor(options, { clock: new FakeClock(), timeZone: undefined });
}

test("Arguments of an engine are refused where the flags do not say of which", async () => {
  const message = "--container-runtime-args is for one engine: name podman or docker in --container-runtime";
  for (const choices of [["auto"], ["process", "auto"], ["auto", "podman"]] satisfies Choices[]) {
    await assertRejects(() => runtimesOf(choices, "--log-level=error"), FlagError, message);
  }
  assertEquals((await runtimesOf(["process"], "--log-level=error")).allowed, ["process"]);
});

test("Arguments of an engine that name a file by a relative path are refused", async () => {
  for (const args of [["--root", "./storage"], ["--root=../storage"], ["--config", "."]]) {
    const word = args.at(-1);
    const message =
      `--container-runtime-args must have absolute paths, not ${word}: the engine is called in the data dir`;
    await assertRejects(() => runtimesOf(["process"], ...args), FlagError, message);
  }
  const harmless = ["--root=/storage", "--log-level", "error", "--url=tcp://a.b:1", "-H", "unix:///./a"];
  assertEquals((await runtimesOf(["process"], ...harmless)).engineArgs, harmless);
});
