import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { atLeast } from "../support/expected.ts";
import {
  kubectl,
  kubectlOk,
  PROGRAM,
  RunningProgram,
  runProgram,
  Standalone,
  temporaryFolder,
} from "../support/program.ts";
import { test } from "../support/test.ts";
import { runHere } from "./support/run_here.ts";

const BARE = ["--controllers", ""];

test("a backup taken while standalone runs is restored when it doesn't, and never while it does", async () => {
  await using folder = await temporaryFolder();
  const [data, file] = [`${folder.path}/data`, `${folder.path}/backup`];
  const names = async (kubeconfig: string) =>
    (await kubectlOk(kubeconfig, ["get", "configmaps", "-o", "jsonpath={.items[*].metadata.name}"])).split(" ");
  {
    await using standalone = await Standalone.start(data, BARE);
    await kubectlOk(standalone.kubeconfig, ["create", "configmap", "kept"]);
    const backup = await runHere(["backup", file, "--data-dir", data]);
    assertEquals([backup.code, backup.stdout], [0, `Backed up ${data} to ${file}\n`], backup.stderr);
    await kubectlOk(standalone.kubeconfig, ["create", "configmap", "later"]);

    const refused = await runHere(["restore", file, "--data-dir", data]);
    assertMatch(
      refused.stderr,
      new RegExp(`^cronjob-controller: .*${data}: another process \\(pid \\d+\\) is using it\n$`),
    );
    assertEquals(refused.code, 1);
    assertEquals(await names(standalone.kubeconfig), ["kept", "later"]);
  }
  // By the environment, as every option.
  const restored = await runProgram(["restore", file], { env: { CJC_DATA_DIR: data } });
  assertEquals([restored.code, restored.stdout], [0, `Restored ${file} into ${data}\n`], restored.stderr);
  {
    await using standalone = await Standalone.start(data, BARE);
    assertEquals(await names(standalone.kubeconfig), ["kept"]);
  }
  const elsewhere = `${folder.path}/elsewhere`;
  assertEquals((await runHere(["restore", file, "--data-dir", elsewhere])).code, 0);
  await using standalone = await Standalone.start(elsewhere, BARE);
  assertEquals(await names(standalone.kubeconfig), ["kept"]);
});

test("what keeps the server's commands from their work is one line, with exit code 1", async (t) => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const data = `${path}/data`;
  const damaged = `${path}/damaged`;
  await Deno.mkdir(damaged);
  await Deno.writeTextFile(`${damaged}/objects.sqlite`, "this was a database once ".repeat(500));
  await Deno.writeTextFile(`${path}/tokens.csv`, "only-a-token\n");
  await using running = await Standalone.start(data, BARE);
  const cases: [args: string[], says: RegExp][] = [
    [["backup", `${path}/b`, "--data-dir", `${path}/none`], /Cannot back up \S+\/none: there is no database in it/],
    [["backup", `${path}/no/folder/b`, "--data-dir", data], /Cannot back up \S+ to \S+\/no\/folder\/b: No such file/],
    [
      ["restore", `${path}/nothing`, "--data-dir", `${path}/new`],
      /Cannot read backup \S+\/nothing: there is no such file$/m,
    ],
    [["restore", path, "--data-dir", `${path}/new`], /Cannot read backup \S+: it is no file$/m],
    [
      ["restore", `${path}/tokens.csv`, "--data-dir", `${path}/new`],
      /Cannot restore \S+\/tokens.csv: it is no backup of this program \(file is not a database\)$/m,
    ],
    [["standalone", "--port", "0", "--data-dir", data], /Cannot use data directory \S+: another process \(pid \d+\)/],
    [["standalone", "--port", "0", "--data-dir", damaged], /Cannot read database \S+: .*Restore a backup/],
    [
      ["standalone", "--port", "0", "--data-dir", `${path}/new`, "--token-file", `${path}/tokens.csv`],
      /Cannot read token file \S+: line 1 must be token,user,uid/,
    ],
    [
      ["standalone", "--port", "0", "--data-dir", `${path}/new`, "--token-file", `${path}/none`],
      /Cannot read token file \S+: No such file/,
    ],
  ];
  for (const [args, says] of cases) {
    await t.step(args.join(" ").replaceAll(path, "…"), async () => {
      // A server has its process to itself.
      const { code, stdout, stderr } = await (args[0] === "standalone" ? runProgram : runHere)(args);
      assertMatch(stderr, says);
      assertEquals([code, stdout, stderr.trimEnd().split("\n").length], [1, "", 1], stderr);
    });
  }
  assertEquals((await running.kubectl("get", "namespaces")).code, 0);
});

test("--token-file lets members of system:masters do everything, and other users nothing", async () => {
  await using folder = await temporaryFolder();
  const tokens = `${folder.path}/tokens.csv`;
  await Deno.writeTextFile(tokens, 'adas-token,ada,1,"developers,system:masters"\nbobs-token,bob,2\n');
  await using standalone = await Standalone.start(`${folder.path}/data`, [...BARE, "--token-file", tokens]);
  const as = async (token: string, ...args: string[]) => {
    const kubeconfig = `${folder.path}/${token}.kubeconfig`;
    const administrators = await Deno.readTextFile(standalone.kubeconfig);
    const own = await Deno.readTextFile(`${folder.path}/data/token`);
    await Deno.writeTextFile(kubeconfig, administrators.replaceAll(own.trim(), token));
    return await kubectl(kubeconfig, args);
  };
  const ada = await as("adas-token", "create", "configmap", "hers");
  assertEquals(ada.code, 0, ada.stderr);
  const bob = await as("bobs-token", "get", "--raw", "/api/v1/namespaces/default/configmaps");
  assertStringIncludes(bob.stderr, `configmaps is forbidden: User "bob" cannot list resource "configmaps"`);
  const stranger = await as("some-token", "get", "configmaps");
  assertNotEquals(stranger.code, 0);
  assertMatch(stranger.stderr, /logged in|Unauthorized/);
});

test("--ephemeral keeps no object, and leaves alone those that a data dir keeps", async () => {
  await using folder = await temporaryFolder();
  const data = `${folder.path}/data`;
  {
    await using kept = await Standalone.start(data, BARE);
    await kubectlOk(kept.kubeconfig, ["create", "configmap", "kept"]);
  }
  const { size } = await Deno.stat(`${data}/objects.sqlite`);
  for (const _ of ["once", "again"]) {
    await using standalone = await Standalone.start(data, ["--ephemeral"]);
    assertEquals((await standalone.kubectl("get", "configmap", "kept")).code, 1);
    await kubectlOk(standalone.kubeconfig, ["create", "job", "short", "--image=none", "--", "echo", "as ever"]);
    await kubectlOk(standalone.kubeconfig, ["wait", "--for=condition=complete", "job/short", "--timeout=120s"]);
    assertEquals(await kubectlOk(standalone.kubeconfig, ["logs", "job/short"]), "as ever\n");
  }
  assertEquals((await Deno.stat(`${data}/objects.sqlite`)).size, size);
  await using standalone = await Standalone.start(data, BARE);
  await kubectlOk(standalone.kubeconfig, ["get", "configmap", "kept"]);
});

test("--ephemeral without a data dir leaves nothing behind, and the user's own data dir is not touched", async () => {
  await using folder = await temporaryFolder();
  const [state, tmp] = [`${folder.path}/state`, `${folder.path}/tmp`];
  await Deno.mkdir(tmp);
  await using program = new RunningProgram(
    [...PROGRAM, "standalone", "--ephemeral", "--port", "0", "--write-kubeconfig", `${folder.path}/kubeconfig`],
    { env: { XDG_STATE_HOME: state, TMPDIR: tmp } },
  );
  await program.waitFor(/Ready: kubectl works/);
  await kubectlOk(`${folder.path}/kubeconfig`, ["create", "configmap", "short-lived"]);
  assertEquals([...Deno.readDirSync(tmp)].length, 1);
  assertEquals((await program.end("SIGTERM")).code, 0, program.output);
  assertEquals([...Deno.readDirSync(tmp)], []);
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name).includes("state"), false);
});

test("a bare API server holds a CronJob CRD only if manifests need it", async () => {
  await using folder = await temporaryFolder();
  const crds = async (data: string, ...args: string[]) => {
    await using standalone = await Standalone.start(`${folder.path}/${data}`, args);
    return await kubectlOk(standalone.kubeconfig, ["get", "crds", "-o", "name"]);
  };
  const [tutorial, production] = atLeast(
    2,
    ["batch.tutorial.kubebuilder.io", "cronjob-controller.dev"]
      .map((group) => `customresourcedefinition.apiextensions.k8s.io/cronjobs.${group}\n`),
  );
  const samples = new URL("../../deploy/samples", import.meta.url).pathname;
  assertEquals(await crds("a", ...BARE), "");
  assertEquals(await crds("a", "--controllers", "gc"), "");
  assertEquals(await crds("a", "--controllers", "job,gc"), tutorial + production);
  assertEquals(await crds("b", ...BARE, "--apply", samples), production);
  assertEquals(await crds("c", ...BARE, "--apply", `${samples}/tutorial`), tutorial);
});

test("backup and restore say in their help what they do to whom", async () => {
  for (
    const [command, says] of [["backup", "while standalone runs"], ["restore", "must not be running"]] as const
  ) {
    const { code, stdout } = await runProgram([command, "--help"]);
    assertEquals(code, 0);
    assertStringIncludes(stdout.replace(/\s+/g, " "), says);
    assertStringIncludes(stdout, "CJC_DATA_DIR");
  }
  const missing = await runProgram(["backup"]);
  assertMatch(missing.stderr, /missing required argument 'file'/);
  assertEquals(missing.code, 2);
});
