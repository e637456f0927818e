import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { NO_ENDPOINTS, PROGRAM, RunningProgram, runProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { runHere } from "./support/run_here.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

/** Command line -> exit code and what its one line on standard error must say. */
const WRONG: [args: string[], code: number, says: RegExp][] = [
  [["standalone", "--prot", "1"], 2, /unknown option '--prot'.*--port/],
  [["standalone", "--port", "99999"], 2, /--port must be a whole number from 0 to 65535, current value is 99999/],
  [
    ["standalone", "--controllers", "job,cron"],
    2,
    /--controllers must hold nothing but cronjob, production-cronjob, batch-cronjob, job, kubelet, gc, ttl, .*: there is no "cron", current value is job,cron/,
  ],
  [
    ["standalone", "--log-level", "loud"],
    2,
    /--log-level must be one of debug, info, warning, error, current value is loud/,
  ],
  [
    ["standalone", "--apply", "/nonexistent.yaml", "--data-dir", "/proc/none"],
    2,
    /\/nonexistent\.yaml: no such file or folder/,
  ],
  [["standalone", "--data-dir", "/proc/none"], 1, /Cannot use the data dir \/proc\/none/],
  [["standalone", "--data-dir", ""], 2, /--data-dir.*must name a folder/],
  [["standalone", "--on-failure", ""], 2, /--on-failure must be a command/],
  [["standalone", "--on-recovery", " "], 2, /--on-recovery must be a command/],
  [["standalone", "extra"], 2, /too many arguments/],
  [
    ["controller", "--api", "batch/v2"],
    2,
    /--api must be one of cronjob-controller\.dev\/v1, batch\/v1, .*, current value is batch\/v2/,
  ],
  [["controller", "--concurrent-syncs", "0"], 2, /--concurrent-syncs.*whole number from 1/],
  [
    ["controller", "--metrics-bind-address", "8080"],
    2,
    /--metrics-bind-address must be host:port, :port, or 0 for none, current value is 8080/,
  ],
  [["controller", "--per-cronjob-metrics=no"], 2, /--per-cronjob-metrics.*none, essential, all/],
  [["controller", "--force=no"], 2, /--force must be true or false, current value is no/],
  [["controller", "--kubeconfig", "/nonexistent"], 2, /\/nonexistent/],
  [["nonsense"], 2, /unknown command 'nonsense'/],
];

test("wrong usage is one clear line on standard error, with the exit code that says whose fault it is", async (t) => {
  for (const [args, code, says] of WRONG) {
    await t.step(args.join(" "), async () => {
      const result = await runHere(args);
      assertMatch(result.stderr, says);
      assertEquals(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
      assertEquals(result.code, code);
    });
  }
});

const WRONG_OF_SERVICE = [
  ["standalone", "--nope"],
  ["standalone", "--time-zone", "Nowhere"],
  ["standalone", "--apply", "/nonexistent.yaml"],
  ["next", "--nope"],
];

test("wrong flags of a service end it with a status for which it is not started again; what may pass does not", async () => {
  await using folder = await temporaryFolder();
  const codes = async (environment: Record<string, string>) =>
    (await Promise.all(
      WRONG_OF_SERVICE.map((args) => runProgram(args, { env: { XDG_STATE_HOME: folder.path, ...environment } })),
    )).map(({ code, stderr }) => stderr === "" ? "nothing said" : code);
  assertEquals(await codes({ NOTIFY_SOCKET: `${folder.path}/none` }), [64, 64, 2, 2], "systemd");
  assertEquals(await codes({ XPC_SERVICE_NAME: "dev.cronjob-controller" }), [0, 0, 2, 2], "launchd");
  assertEquals(await codes({ XPC_SERVICE_NAME: "0" }), [2, 2, 2, 2], "a terminal of macOS");
});

test("an API server that cannot be reached is one clear line", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/kubeconfig`;
  await Deno.writeTextFile(path, kubeconfig({ name: "a", cluster: { server: "https://127.0.0.1:1" } }));
  const result = await runProgram(["controller", "--kubeconfig", path]);
  assertMatch(result.stderr, /Cannot reach the API server https:\/\/127\.0\.0\.1:1/);
  assertEquals(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
  assertEquals(result.code, 1);

  const context = await runProgram(["controller", "--kubeconfig", path, "--context", "b"]);
  assertMatch(context.stderr, /no context b; it has a/);
  assertEquals(context.code, 2);
});

test("a controller ends on SIGTERM while it waits for the API server's first answer", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/kubeconfig`;
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = `https://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  await Deno.writeTextFile(path, kubeconfig({ cluster: { server } }));
  await using program = new RunningProgram([...PROGRAM, "controller", "--kubeconfig", path, ...NO_ENDPOINTS]);
  using _connection = await listener.accept();
  const { code } = await program.end("SIGTERM");
  // It would have failed had it waited for the answer.
  assertEquals([code, program.output], [0, ""]);
});

test("a busy port is one clear line", async () => {
  await using folder = await temporaryFolder();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = String((listener.addr as Deno.NetAddr).port);
  const result = await runProgram(["standalone", "--data-dir", folder.path, "--port", port]);
  assertMatch(result.stderr, new RegExp(`${port}: the port is in use .*; choose another with --port, or 0`));
  assertEquals(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
  assertEquals(result.code, 1);
});

test("help shows a stranger what to do, and version names the version", async () => {
  const help = await runProgram(["--help"]);
  assertEquals(help.code, 0);
  for (const word of ["standalone", "controller", "version", "CJC_LOG_LEVEL"]) assertStringIncludes(help.stdout, word);
  const standalone = await runProgram(["standalone", "--help"]);
  for (const word of ["--data-dir", "--apply-once", "CJC_PORT"]) assertStringIncludes(standalone.stdout, word);
  assertMatch(standalone.stdout, /with\s+your\s+own\s+rights/);
  assertMatch((await runProgram(["version"])).stdout, /^cronjob-controller \d+\.\d+\.\d+(-dev)? /);
  assertEquals((await runProgram([])).code, 2);
});
