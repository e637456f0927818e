// The program on a workstation, with the samples. Part of `deno task test:binary`; it needs Linux.
import { assert, assertEquals } from "@std/assert";
import { COMPILED, dashboardLink, runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const SAMPLES = new URL("../../deploy/samples", import.meta.url).pathname;

/** By then all that runs at all has run once. */
const WARM_MS = 25_000;
const BOUND_KB = 120_000;

test("standalone with the samples and the page has its first run within 20 s, and takes at most 120 MB", async () => {
  assert(COMPILED, "CJC_TEST_BINARY does not name the executable");
  await using folder = await temporaryFolder();
  const began = performance.now();
  const args = ["--apply-once", SAMPLES, "--dashboard-address", "127.0.0.1:0"];
  await using standalone = await Standalone.start(`${folder.path}/data`, args);
  await dashboardLink(standalone);
  await standalone.program.waitFor(/ succeeded {2}/);
  const firstRunMs = performance.now() - began;
  assert(firstRunMs <= 20_000, `the first run has ended after ${firstRunMs} ms`);
  await new Promise((resolve) => setTimeout(resolve, WARM_MS - firstRunMs));
  const status = await Deno.readTextFile(`/proc/${standalone.program.child.pid}/status`);
  const residentKb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1.024;
  assert(residentKb <= BOUND_KB, `${residentKb} kB are resident`);
});

test("the executable says which files it may not use, though its user may", async () => {
  const { code, stderr } = await runProgram(["status", "--kubeconfig", "/dev/shm/config"]);
  const reason = "the executable may use no file below /dev, /proc and /sys";
  assertEquals([code, stderr], [2, `cronjob-controller: Cannot read kubeconfig /dev/shm/config: ${reason}\n`]);
});
