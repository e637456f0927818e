import { assert, assertEquals, assertLess } from "@std/assert";
import { isAlive, parseIdentity } from "../../../src/kubelet/process/identity.ts";
import type { Command } from "../../../src/kubelet/process/container_command.ts";
import { ProcessRunner, type RunningProcess } from "../../../src/kubelet/process/runner.ts";
import { readText } from "../../../src/kubelet/files/disk.ts";
import { type Outcome, RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { shimCommand } from "../../../src/kubelet/process/shim.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { test } from "../../support/test.ts";
import { isRunning, pidIn, until } from "../support/test_kubelet.ts";

function newRunner(): ProcessRunner {
  const clock = new SystemClock();
  return new ProcessRunner(clock);
}

function runIn(directory: string, restartCount = 0): RunFiles {
  return new RunFiles(directory, restartCount);
}

function shell(script: string, directory: string, env: Record<string, string> = {}): Command {
  return { argv: ["/bin/sh", "-c", script], env: { PATH: Deno.env.get("PATH")!, ...env }, workingDirectory: directory };
}

async function withDirectory(fn: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "runner-" });
  try {
    await fn(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

test("ProcessRunner reports exit codes, and signals as 128 + n", () =>
  withDirectory(async (directory) => {
    const runner = newRunner();
    const cases: [script: string, exitCode: number, reason: string][] = [
      ["exit 0", 0, "Completed"],
      ["exit 7", 7, "Error"],
      ["kill -TERM $$", 143, "Error"],
      ["kill -KILL $$", 137, "Error"],
      ["kill -SEGV $$", 139, "Error"],
    ];
    for (const [index, [script, exitCode, reason]] of cases.entries()) {
      const outcome = await runner.start(runIn(directory, index), shell(script, directory), 0).ended;
      assertEquals([outcome.exitCode, outcome.reason], [exitCode, reason], script);
      assert(outcome.startedAt! <= outcome.finishedAt);
    }
  }));

test("ProcessRunner appends output and errors to the log, and adds nothing of its own", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    await newRunner().start(run, shell("echo out; echo err >&2; kill -TERM $$", directory), 0).ended;
    assertEquals(Deno.readTextFileSync(run.log), "out\nerr\n");
  }));

test("ProcessRunner gives a process its own environment and directory, and nothing else", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    const command = { argv: ["/usr/bin/env"], env: { A: "1 2", EMPTY: "", "QUOTED": `'"$x` }, workingDirectory: "/" };
    await newRunner().start(run, command, 0).ended;
    const lines = Deno.readTextFileSync(run.log).trimEnd().split("\n").sort();
    assertEquals(lines, [`A=1 2`, `EMPTY=`, `QUOTED='"$x`]);
  }));

test("ProcessRunner passes arguments on as they are", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    const argv = ["/usr/bin/printf", "%s|", "", "a b", "$HOME", "*", "'", "\n", "-n", "ü"];
    await newRunner().start(run, { argv, env: {}, workingDirectory: directory }, 0).ended;
    assertEquals(Deno.readTextFileSync(run.log), "|a b|$HOME|*|'|\n|-n|ü|");
  }));

test("A TERM to a very young process is sent twice, as its shim may have missed it, and to an older one once", () =>
  withDirectory(async (directory) => {
    const clock = new FakeClock();
    const runner = new ProcessRunner(clock);
    const run = runIn(directory);
    const script = "trap 'echo asked' TERM; echo up; while :; do sleep 0.02; done";
    const { signal, ended } = runner.start(run, shell(script, directory), 0);
    const times = (word: string) => (readText(run.log) ?? "").split("\n").filter((line) => line === word).length;
    await until(() => times("up") === 1);
    await clock.advance(499);
    signal("SIGTERM");
    await until(() => times("asked") === 1);
    assertEquals(clock.pending, 1);
    await clock.advance(500);
    await until(() => times("asked") === 2);
    signal("SIGTERM");
    await until(() => times("asked") === 3);
    assertEquals(clock.pending, 0);
    signal("SIGKILL");
    await ended;
  }));

test("ProcessRunner ends what a container's first process leaves behind", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    const script = `sleep 1000 & echo $! > ${directory}/left; exit 5`;
    const outcome = await newRunner().start(run, shell(script, directory), 0).ended;
    assertEquals(outcome.exitCode, 5);
    const left = await pidIn(`${directory}/left`);
    await until(() => !isRunning(left));
  }));

test("ProcessRunner signals the whole group", () =>
  withDirectory(async (directory) => {
    const script = `trap 'exit 9' TERM; sleep 1000 & echo $! > ${directory}/child; wait`;
    const process = newRunner().start(runIn(directory), shell(script, directory), 0);
    const child = await pidIn(`${directory}/child`);
    process.signal("SIGTERM");
    assertEquals((await process.ended).exitCode, 9);
    await until(() => !isRunning(child));
    process.signal("SIGKILL");
  }));

test("ProcessRunner reports a group that was killed as 137", () =>
  withDirectory(async (directory) => {
    const process = newRunner().start(runIn(directory), shell(`echo $$ > ${directory}/pid; sleep 1000`, directory), 0);
    const pid = await pidIn(`${directory}/pid`);
    process.signal("SIGKILL");
    assertEquals((await process.ended).exitCode, 137);
    await until(() => !isRunning(pid));
  }));

test("A process gets the values of its variables as they are", () =>
  withDirectory(async (directory) => {
    const env = { PATH: Deno.env.get("PATH")!, my_name: "a b", X_Y: "$(nope) `no` \"'", _1: "\n2", plain: "=" };
    const run = runIn(directory);
    await newRunner().start(run, { argv: ["/usr/bin/env", "-0"], env, workingDirectory: directory }, 0).ended;
    const found = Deno.readTextFileSync(run.log).split("\0").filter((line) => !/^(PWD|_|SHLVL)=/.test(line) && line);
    assertEquals(new Set(found), new Set(Object.entries(env).map(([name, value]) => `${name}=${value}`)));
  }));

test("A shim that finds its run claimed starts nothing", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    run.writeIntent({ attempt: "a", bootId: "", backOffMs: 0, startedAt: 0 });
    assert(run.giveUp("a"));
    const { program, args } = shimCommand(
      { claim: run.claim("a"), log: run.log, exit: run.exit },
      ["/bin/sh", "-c", `touch ${directory}/ran`],
    );
    await new Deno.Command(program, { args, cwd: directory }).output();
    assertEquals([...Deno.readDirSync(directory)].map(({ name }) => name).sort(), ["0.a.pid", "0.intent"]);
  }));

test("ProcessRunner never abandons a run that a shim has claimed", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    await newRunner().start(run, shell("exit 4", directory), 0).ended;
    assertEquals(run.giveUp(run.readIntent()!.attempt), false);
    const found = await newRunner().resume(run) as Outcome;
    assertEquals([found.exitCode, found.reason], [4, "Error"]);
  }));

test("ProcessRunner takes up what the moments of a crash can leave", () =>
  withDirectory(async (directory) => {
    const runner = newRunner();
    const intent = { attempt: "a", bootId: "x", backOffMs: 0, startedAt: 1000 };

    const untouched = runIn(directory, 0);
    assertEquals(await runner.resume(untouched), undefined, "nothing was decided");

    const intended = runIn(directory, 1);
    intended.writeIntent(intent);
    assertEquals(await runner.resume(intended), undefined, "no shim had come: it may run now");
    assertEquals(intended.read(), { kind: "void" });
    assertEquals(await runner.resume(intended), undefined, "a crash while starting anew");

    const again = await runner.start(intended, shell("exit 2", directory), 0).ended;
    assertEquals(again.exitCode, 2, "the run that was given up is started as another attempt");

    const claimed = runIn(directory, 2);
    claimed.writeIntent(intent);
    Deno.writeTextFileSync(claimed.claim("a"), "");
    const lost = await runner.resume(claimed) as Outcome;
    assertEquals([lost.exitCode, lost.reason], [137, "ContainerStatusUnknown"], "a shim that died in the claim");

    const vanished = runIn(directory, 3);
    vanished.writeIntent(intent);
    Deno.writeTextFileSync(vanished.claim("a"), Deno.readTextFileSync(`/proc/${Deno.pid}/stat`).replace(/^/, "1 "));
    const gone = await runner.resume(vanished) as Outcome;
    assertEquals([gone.exitCode, gone.startedAt], [137, 1000], "a process of another boot");
    assertEquals(await runner.resume(vanished), gone, "and that stays so");
  }));

test("A pid that means another process by now is not taken for the old one", () => {
  const stat = Deno.readTextFileSync(`/proc/${Deno.pid}/stat`);
  const self = parseIdentity(`${Deno.pid} ${stat}`)!;
  assert(isAlive(self));
  assertEquals(isAlive({ ...self, startId: "1" }), false);
  assertEquals(isAlive({ ...self, pid: 2 ** 30 }), false);
  assertEquals(parseIdentity("12 34"), undefined);
  assertEquals(parseIdentity(""), undefined);
});

test("Processes outlive a SIGKILL of the program, and are taken up with their true exit codes", () =>
  withDirectory(async (directory) => {
    const program = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", new URL("../support/start_and_wait.ts", import.meta.url).pathname, directory],
      stdout: "piped",
    }).spawn();
    const reader = program.stdout.getReader();
    await reader.read();
    program.kill("SIGKILL");
    await program.status;
    await reader.cancel();

    const runner = newRunner();
    const ended = await until(async () => {
      const found = await runner.resume(runIn(directory, 0));
      return found && "exitCode" in found && found;
    });
    assertEquals(ended.exitCode, 21, "ended while nobody was there");

    const ends = await runner.resume(runIn(directory, 1)) as RunningProcess;
    Deno.writeTextFileSync(`${directory}/go`, "");
    const outcome = await ends.ended;
    assertEquals([outcome.exitCode, outcome.reason], [22, "Error"], "ends later");
    assertLess(outcome.startedAt!, outcome.finishedAt);

    const stays = await runner.resume(runIn(directory, 2)) as RunningProcess;
    stays.signal("SIGTERM");
    assertEquals((await stays.ended).exitCode, 143, "is ended by us");

    const killed = await runner.resume(runIn(directory, 3)) as RunningProcess;
    killed.signal("SIGKILL");
    assertEquals((await killed.ended).exitCode, 137, "is killed, shim and all");
    const starts = [0, 1, 2, 3].map((each) => Deno.readTextFileSync(runIn(directory, each).log));
    assertEquals(starts, ["started\n", "started\n", "started\n", "started\n"], "none ran twice");
  }));

test("ProcessRunner has room for the exit status before the process can fill the disk", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    const { ended } = newRunner().start(run, shell(`wc -c < ${run.exit}; exit 42`, directory), 0);
    assertEquals((await ended).exitCode, 42);
    assert(Number(Deno.readTextFileSync(run.log)) > 4);
  }));

test("ProcessRunner reports how a process ended also where it cannot write that down", () =>
  withDirectory(async (directory) => {
    const run = runIn(directory);
    Deno.mkdirSync(`${directory}/0.outcome.new`);
    const outcome = await newRunner().start(run, shell("kill -KILL 0", directory), 0).ended;
    assertEquals([outcome.exitCode, outcome.reason], [137, "Error"]);
  }));

test("ProcessRunner never repeats a run of whose files a power failure left nothing readable", () =>
  withDirectory(async (directory) => {
    for (const [index, ending] of ["intent", "outcome"].entries()) {
      Deno.writeTextFileSync(`${directory}/${index}.${ending}`, "");
      const outcome = await newRunner().resume(runIn(directory, index)) as Outcome;
      assertEquals([outcome.exitCode, outcome.reason], [137, "ContainerStatusUnknown"], ending);
    }
  }));
