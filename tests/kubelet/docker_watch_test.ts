import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createServer, type Socket } from "node:net";
import type { RunOfContainer } from "../../src/kubelet/runtime.ts";
import { DockerLogs } from "../../src/kubelet/engine/docker_logs.ts";
import { DockerWatch } from "../../src/kubelet/engine/docker_watch.ts";
import type { EngineCommand } from "../../src/kubelet/engine/engine_command.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { podOf, until } from "./support/test_kubelet.ts";

const HEAD = "HTTP/1.0 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n";
const REFUSAL = "HTTP/1.0 500 Internal Server Error\r\n\r\n";

interface Daemon {
  readonly clock: FakeClock;
  readonly watch: DockerWatch;
  readonly run: RunOfContainer;
  /** What each request was for. */
  readonly asked: ("follow" | "rest")[];
  log(): string;
}

/** Stands in for docker's daemon: `answer` is called for each request. */
async function withDaemon(
  answer: (socket: Socket, what: "follow" | "rest") => void,
  check: (daemon: Daemon) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const asked: Daemon["asked"] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      const what = String(bytes).includes("follow=1") ? "follow" : "rest";
      asked.push(what);
      answer(socket, what);
    });
  });
  await new Promise<void>((resolve) => server.listen(`${path}/socket`, resolve));
  const clock = new FakeClock();
  const command = { endpoint: () => Promise.resolve(`unix://${path}/socket`) } as unknown as EngineCommand;
  const pod = { ...podOf("p", {}), metadata: { name: "p", uid: "u" } } as unknown as RunOfContainer["pod"];
  const run = { pod, container: pod.spec!.containers[0]!, files: new RunFiles(path, 0) };
  const watch = new DockerWatch({ clock, logs: new DockerLogs(command) });
  try {
    await check({ clock, watch, run, asked, log: () => Deno.readTextFileSync(run.files.log) });
  } finally {
    watch.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Lets time pass until a promise has settled. */
async function passing(clock: FakeClock, work: Promise<void>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => isOver = true);
  over.catch(() => {});
  await until(async () => {
    await clock.advance(100);
    return isOver;
  });
  await over;
}

test("A container's end is known though docker cannot read its log, which says so", () =>
  withDaemon((socket) => socket.end(REFUSAL), async ({ clock, watch, run, asked, log }) => {
    Deno.writeTextFileSync(run.files.log, "half");
    await passing(clock, watch.finish(run));
    const why = "docker answers 500 when asked for the output";
    assertEquals(log(), `half\n[the rest of the output could not be read: ${why}]\n`);
    assertEquals(asked, ["rest", "rest", "rest"]);
    assertEquals(clock.pending, 0);
  }));

test("What is left of a container's output is read at once when it has ended", () =>
  withDaemon(
    (socket, what) => what === "follow" ? socket.write(`${HEAD}one\n`) : socket.end(`${HEAD}one\ntwo\n`),
    async ({ watch, run, asked, log }) => {
      watch.follow(run);
      await until(() => asked.length === 1 && log() === "one\n");
      // No time passes.
      await watch.finish(run);
      assertEquals([log(), asked], ["one\ntwo\n", ["follow", "rest"]]);
    },
  ));

test("A log that docker does not hand over in time does not hold up a container's end", () =>
  withDaemon((socket) => void socket.write(`${HEAD}begun`), async ({ clock, watch, run, asked, log }) => {
    const finished = watch.finish(run);
    await until(() => asked.length === 1);
    await clock.advance(10 * 60_000);
    await finished;
    assertStringIncludes(log(), "could not be read: docker takes too long]\n");
  }));

test("A log says that docker has less of it than was copied before", () =>
  withDaemon((socket) => socket.end(`${HEAD}one\n`), async ({ clock, watch, run, asked, log }) => {
    Deno.writeTextFileSync(run.files.log, "one\ntwo\n");
    await passing(clock, watch.finish(run));
    assertStringIncludes(
      log(),
      "one\ntwo\n\n[the rest of the output could not be read: docker's own log of it is 4 bytes",
    );
    assertEquals(asked, ["rest"]);
  }));

test("An output that cannot be read is asked for ever more rarely", () =>
  withDaemon((socket) => socket.end(REFUSAL), async ({ clock, watch, run, asked }) => {
    watch.follow(run);
    await until(() => clock.pending === 1);
    for (const [index, retryMs] of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
      await clock.advance(retryMs - 1);
      assertEquals([asked.length, clock.pending], [index + 1, 1]);
      await clock.advance(1);
      await until(() => asked.length === index + 2 && clock.pending === 1);
    }
    assert(asked.every((what) => what === "follow"));
  }));
