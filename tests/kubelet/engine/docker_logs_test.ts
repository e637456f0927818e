import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { RunOfContainer } from "../../../src/kubelet/runtime.ts";
import { DockerLogs } from "../../../src/kubelet/engine/docker_logs.ts";
import { RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { test } from "../../support/test.ts";
import { podOf, until } from "../support/test_kubelet.ts";
import { refusal, startFakeEngine } from "./support/fake_engine.ts";

type What = "follow" | "rest";

interface Daemon {
  readonly clock: FakeClock;
  readonly logs: DockerLogs;
  readonly run: RunOfContainer;
  /** What each request was for. */
  readonly asked: What[];
  log(): string;
}

/** Returns a piece of a container's output as docker sends it. */
function frame(text: string, stream = 1): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array([stream, 0, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}

/** Returns an answer that goes on. */
function endless(text: string): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.enqueue(frame(text)) }));
}

/** Stands in for docker's daemon: `answer` is called for each request. */
async function withDaemon(
  answer: (what: What) => Response,
  check: (daemon: Daemon) => Promise<void>,
): Promise<void> {
  const asked: What[] = [];
  const clock = new FakeClock();
  await using engine = await startFakeEngine(clock, ({ query }) => {
    const what = query.get("follow") === "1" ? "follow" : "rest";
    asked.push(what);
    return answer(what);
  }, { engine: "docker" });
  const pod = { ...podOf("p", {}), metadata: { name: "p", uid: "u" } } as unknown as RunOfContainer["pod"];
  const run = { pod, container: pod.spec!.containers[0]!, files: new RunFiles(engine.folder, 0) };
  const logs = new DockerLogs({ api: engine.api, clock });
  await check({ clock, logs, run, asked, log: () => Deno.readTextFileSync(run.files.log) });
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
  withDaemon(() => refusal(500, "out of sorts"), async ({ clock, logs, run, asked, log }) => {
    Deno.writeTextFileSync(run.files.log, "half");
    await passing(clock, logs.finish(run));
    const why = "out of sorts";
    assertEquals(log(), `half\n[the rest of the output could not be read: ${why}]\n`);
    assertEquals(asked, ["rest", "rest", "rest"]);
    assertEquals(clock.pending, 0);
  }));

test("What is left of a container's output is read at once when it has ended", () =>
  withDaemon(
    (what) => what === "follow" ? endless("one\n") : new Response(frame("one\ntwo\n")),
    async ({ logs, run, asked, log }) => {
      logs.follow(run);
      await until(() => asked.length === 1 && log() === "one\n");
      // No time passes.
      await logs.finish(run);
      assertEquals([log(), asked], ["one\ntwo\n", ["follow", "rest"]]);
    },
  ));

test("A log that docker does not hand over in time does not hold up a container's end", () =>
  withDaemon(() => endless("begun"), async ({ clock, logs, run, asked, log }) => {
    const finished = logs.finish(run);
    await until(() => asked.length === 1);
    await clock.advance(10 * 60_000);
    await finished;
    assertStringIncludes(log(), "could not be read: docker takes too long]\n");
  }));

test("A log says that docker has less of it than was copied before", () =>
  withDaemon(() => new Response(frame("one\n")), async ({ clock, logs, run, asked, log }) => {
    Deno.writeTextFileSync(run.files.log, "one\ntwo\n");
    await passing(clock, logs.finish(run));
    assertStringIncludes(
      log(),
      "one\ntwo\n\n[the rest of the output could not be read: docker's own log of it is 4 bytes",
    );
    assertEquals(asked, ["rest", "rest", "rest"]);
  }));

test("An output that cannot be read is asked for ever more rarely", () =>
  withDaemon(() => refusal(500, "out of sorts"), async ({ clock, logs, run, asked }) => {
    logs.follow(run);
    await until(() => asked.length === 1 && clock.pending === 1);
    for (const [index, retryMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
      await clock.advance(retryMs - 1);
      assertEquals([asked.length, clock.pending], [index + 1, 1]);
      await clock.advance(1);
      await until(() => asked.length === index + 2 && clock.pending === 1);
    }
    assert(asked.every((what) => what === "follow"));
  }));

test("The output of a container that is gone is followed no more", () =>
  withDaemon(() => refusal(404, "no such container"), async ({ clock, logs, run, asked }) => {
    logs.follow(run);
    await until(() => asked.length === 1 && clock.pending === 1);
    await clock.advance(10_000);
    assertEquals([asked, clock.pending], [["follow"], 0]);
  }));

test("What docker itself reports amid an output is why there is no more of it", () =>
  withDaemon(() => new Response(frame("no log driver", 3)), async ({ clock, logs, run, log }) => {
    await passing(clock, logs.finish(run));
    const why = "the engine reports: no log driver";
    assertEquals(log(), `\n[the rest of the output could not be read: ${why}]\n`);
  }));
