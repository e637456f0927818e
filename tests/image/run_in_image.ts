// The compiled program in the image's root file system, as a Pod runs it. `deno task test:image` runs these; they need the
// compiled program (`CJC_TEST_BINARY`, else `dist/cronjob-controller`), bubblewrap and kubectl.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PROGRAM_PATH } from "../../deploy/image/root_entries.ts";
import { buildRootfs } from "../../deploy/rootfs.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { BINARY } from "./support/binary.ts";
import { runContainer } from "./support/container.ts";
import { assertLockedIn } from "./support/locked_in.ts";
import { PodCluster } from "./support/pod_cluster.ts";

/** A folder that any user may enter, and the image's root file system in it. */
async function imageFolder() {
  const folder = await temporaryFolder();
  await Deno.chmod(folder.path, 0o755);
  const root = `${folder.path}/root`;
  await buildRootfs({ binary: BINARY, root });
  return { path: folder.path, root, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("the image's program starts, and knows time zones with no file about them", async () => {
  await using image = await imageFolder();
  const run = (...args: string[]) => runContainer({ root: image.root, command: [PROGRAM_PATH, ...args] });
  const version = await run("version");
  assertMatch(version.output, /^cronjob-controller \d+\.\d+\.\d+(-dev)? /);
  assertEquals(version.code, 0);

  const zone = ["--time-zone", "America/St_Johns", "--from", "2026-10-31T12:00:00Z", "-n", "2", "-o", "json"];
  const { output } = await run("next", "30 1 * * *", ...zone);
  const { next } = JSON.parse(output) as { next: { local: string }[] };
  assertEquals(next.map(({ local }) => local), ["2026-11-01T01:30:00-02:30", "2026-11-01T01:30:00-03:30"]);
});

test("the image's program finds nowhere to write, and says so", async () => {
  await using image = await imageFolder();
  for (const folder of ["/tmp", "/home/nonroot", "/run", "/etc"]) {
    const command = [PROGRAM_PATH, "standalone", "--controllers", "", "--port", "0", "--data-dir", `${folder}/data`];
    const { code, output } = await runContainer({ root: image.root, command });
    assertMatch(output, /^cronjob-controller: Cannot use the data dir .*(Read-only file system|EROFS).*\n$/);
    assertEquals(code, 1);
  }
});

test("the controller does its work in the image as the Deployment runs it, and can change nothing there", async () => {
  await using image = await imageFolder();
  await using cluster = await PodCluster.start(image.path);
  await using container = await cluster.runController(image.root);
  await eventually("it is ready", async () => (await container.program.ask("health", "/readyz")).status === 200);
  await eventually("it has started Jobs", async () => await cluster.jobs() >= 2);
  const { text } = await container.program.ask("metrics", "/metrics");
  assertMatch(text, /^leader_election_master_status\{[^}]*\} 1$/m);
  assertMatch(text, /^cronjob_controller_job_creation_skew_duration_seconds_count [1-9]/m);
  assertStringIncludes(await cluster.leader(), "cronjob-controller-0_");

  await assertLockedIn(await container.pid());

  assertEquals(await container.end("SIGTERM"), 0, container.program.output);
  assertEquals(await cluster.leader(), "", "the lease is given back");
  assert(!container.program.output.includes(cluster.token), "the token is in the log");
});

test("the controller goes on in the image when its token is replaced and the old one refused", async () => {
  await using image = await imageFolder();
  await using cluster = await PodCluster.start(image.path);
  await using container = await cluster.runController(image.root);
  await eventually("it has started Jobs", async () => await cluster.jobs() >= 1);
  await cluster.replaceToken();
  const before = await cluster.jobs();
  await eventually("it has started more Jobs", async () => await cluster.jobs() >= before + 2);
  assertEquals(await container.end("SIGTERM"), 0, container.program.output);
});
