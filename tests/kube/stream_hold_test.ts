import { assertEquals, assertRejects } from "@std/assert";
import { MAX_HELD_BYTES } from "../../src/kube/chunk_reader.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { lineBatches } from "../../src/kube/json_lines.ts";
import { CRON_JOBS } from "../../src/kube/resource.ts";
import { StreamHold } from "../../src/kube/stream_hold.ts";
import { must } from "../support/expected.ts";
import { settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { ScriptedServer, stored } from "./support/scripted_server.ts";

/** A stream under a hold whose bytes the test sends, and what its consumer got. */
class Held {
  readonly hold: StreamHold;
  readonly got: string[] = [];
  readonly ended: Promise<void>;
  receivedChunks = 0;
  /** The consumer takes its time over each batch while this is set. */
  busy: Promise<void> | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor({ hold = new StreamHold(), signal }: { hold?: StreamHold; signal?: AbortSignal } = {}) {
    this.hold = hold;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (this.#controller = controller) });
    this.ended = this.#consume(lineBatches(body, { hold, signal, onBytes: () => this.receivedChunks++ }));
  }

  async send(text: string): Promise<void> {
    this.#controller.enqueue(new TextEncoder().encode(text));
    await settle();
  }

  end(): void {
    this.#controller.close();
  }

  fail(error: Error): void {
    this.#controller.error(error);
  }

  async #consume(batches: AsyncIterable<readonly string[]>): Promise<void> {
    for await (const batch of batches) {
      await this.busy;
      this.got.push(...batch);
    }
  }
}

test("StreamHold lets a stream be received and not read, until it is released", async () => {
  const stream = new Held();
  stream.hold.hold();
  assertEquals(stream.hold.isHeld, true);
  for (const text of ["a\nb", "\nc", "\nd"]) await stream.send(text);
  assertEquals([stream.receivedChunks, stream.got], [3, []]);
  await stream.hold.release();
  assertEquals([stream.hold.isHeld, stream.got], [false, ["a", "b", "c"]]);
  await stream.send("\n");
  assertEquals(stream.got, ["a", "b", "c", "d"]);
  stream.end();
  await stream.ended;
});

test("StreamHold is released only when the consumer has dealt with what was received", async () => {
  const stream = new Held();
  stream.hold.hold();
  await stream.send("a\n");
  const busy = Promise.withResolvers<void>();
  stream.busy = busy.promise;
  let released = false;
  const releasing = stream.hold.release().then(() => released = true);
  await settle();
  assertEquals(released, false);
  // A hold that is not held waits for the consumer as well.
  const again = stream.hold.release();
  busy.resolve();
  await Promise.all([releasing, again]);
  assertEquals(stream.got, ["a"]);
  stream.end();
  await stream.ended;
});

test("StreamHold that is held again while it is released hands out what had been received before", async () => {
  const stream = new Held();
  stream.hold.hold();
  await stream.send("a\n");
  const releasing = stream.hold.release();
  stream.hold.hold();
  await releasing;
  assertEquals(stream.got, ["a"]);
  await stream.send("b\n");
  assertEquals(stream.got, ["a"]);
  await stream.hold.release();
  assertEquals(stream.got, ["a", "b"]);
  stream.end();
  await stream.ended;
});

test("StreamHold holds several streams, and is released at once without any", async () => {
  const hold = new StreamHold();
  await hold.release();
  const streams = [new Held({ hold }), new Held({ hold }), new Held({ hold })];
  hold.hold();
  await must(streams[0]).send("a\n");
  await must(streams[1]).send("b\n");
  await hold.release();
  assertEquals(streams.map(({ got }) => got), [["a"], ["b"], []]);
  for (const stream of streams) stream.end();
  await Promise.all(streams.map(({ ended }) => ended));
  hold.hold();
  await hold.release();
});

test("StreamHold does not keep a stream from ending or failing, which hands out what was received", async () => {
  const ending = new Held();
  ending.hold.hold();
  await ending.send("a\n");
  ending.end();
  await ending.ended;
  assertEquals(ending.got, ["a"]);
  const failing = new Held();
  failing.hold.hold();
  await failing.send("a\nb");
  const failure = assertRejects(() => failing.ended, Error, "torn");
  failing.fail(new Error("torn"));
  await failure;
  assertEquals(failing.got, ["a"]);
  await Promise.all([ending.hold.release(), failing.hold.release()]);
});

test("StreamHold does not wait for a consumer whose stream was aborted", async () => {
  const stop = new AbortController();
  const stream = new Held({ signal: stop.signal });
  const never = Promise.withResolvers<void>();
  stream.busy = never.promise;
  await stream.send("a\n");
  const releasing = stream.hold.release();
  const ended = assertRejects(() => stream.ended);
  stop.abort();
  await releasing;
  await stream.hold.release();
  never.resolve();
  await ended;
});

test("StreamHold lets no stream hold more than 16 MiB", async () => {
  const stream = new Held();
  stream.hold.hold();
  const line = `${"x".repeat(1024 * 1024 - 1)}\n`;
  const fitting = MAX_HELD_BYTES / line.length;
  for (let i = 0; i < fitting; i++) await stream.send(line);
  assertEquals(stream.got.length, 0);
  await stream.send("y\n");
  assertEquals(stream.got.length, fitting + 1);
  await stream.send("z\n");
  assertEquals(stream.got.length, fitting + 1);
  await stream.hold.release();
  assertEquals(stream.got.length, fitting + 2);
  stream.end();
  await stream.ended;
});

test("KubeClient receives the events of a held watch, and hands them out in order when it is released", async () => {
  await using server = new ScriptedServer();
  await using client = HttpKubeClient.to({ server: server.url });
  const feed = server.feed();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer);
  const hold = new StreamHold();
  hold.hold();
  let received = 0;
  const names: string[] = [];
  const stop = new AbortController();
  const options = { hold, signal: stop.signal, onReceive: () => received++ };
  const watching = (async () => {
    for await (const { object } of client.watch(CRON_JOBS, options)) names.push(object.metadata.name);
  })();
  feed.event("ADDED", stored(CRON_JOBS, "a"));
  while (received < 1) await settle();
  feed.event("MODIFIED", stored(CRON_JOBS, "b"));
  while (received < 2) await settle();
  assertEquals(names, []);
  await hold.release();
  assertEquals(names, ["a", "b"]);
  hold.hold();
  feed.event("DELETED", stored(CRON_JOBS, "c"));
  while (received < 3) await settle();
  // What its caller has abandoned is not handed out any more.
  stop.abort();
  await watching;
  assertEquals(names, ["a", "b"]);
  await hold.release();
});
