import { assertEquals } from "@std/assert";
import { logMessages } from "../../src/dashboard/reads/log_lines.ts";
import type { LogMessage } from "../../src/dashboard/wire.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { until } from "../kubelet/support/test_kubelet.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

interface Line {
  readonly at: string;
  readonly text: string;
}

/** An API server with the log of one container, which goes on until the container has ended. */
class LogServer implements AsyncDisposable {
  readonly written: Line[] = [];
  /** The queries of all that asked for the log. */
  readonly asked: URLSearchParams[] = [];
  hasEnded = false;
  /** Whether the log breaks off at its end, though the container has ended. */
  isBroken = false;
  /** In place of the log. */
  refusal: number | undefined;
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError: () => new Response(null, { status: 500 }) },
    (request) => this.#answer(new URL(request.url)),
  );

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  write(at: string, ...texts: string[]): void {
    const lines = texts.map((text) => ({ at, text }));
    this.written.push(...lines);
    for (const reader of this.#readers) reader.enqueue(bytesOf(lines));
  }

  /** Ends all connections: as they should be, or in the middle. */
  cut(how: "cleanly" | "off"): void {
    for (const reader of this.#readers) how === "cleanly" ? reader.close() : reader.error(new Error("cut off"));
    this.#readers.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #answer({ pathname, searchParams }: URL): Response {
    if (pathname.endsWith("/log")) return this.#log(searchParams);
    if (pathname.endsWith("/pods")) {
      return Response.json({
        apiVersion: "v1",
        kind: "PodList",
        metadata: { resourceVersion: "1" },
        items: [this.#pod],
      });
    }
    const conditions = this.hasEnded ? [{ type: "Complete", status: "True" }] : [];
    return Response.json({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { namespace: "default", name: "a", uid: "j" },
      status: { conditions },
    });
  }

  get #pod() {
    const state = this.hasEnded ? { terminated: { exitCode: 0 } } : { running: {} };
    const containerStatuses = [{ name: "main", containerID: "c", state }];
    const metadata = { namespace: "default", name: "a-1", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
    return { metadata, status: { containerStatuses } };
  }

  /** As a kubelet: it finds lines by whole seconds. */
  #log(query: URLSearchParams): Response {
    this.asked.push(query);
    if (this.refusal) {
      return Response.json({ apiVersion: "v1", kind: "Status", message: "refused" }, { status: this.refusal });
    }
    const since = Date.parse(query.get("sinceTime") ?? "1970-01-01T00:00:00Z");
    const found = this.written.filter(({ at }) => Date.parse(at) >= since).slice(-Number(query.get("tailLines")));
    let reader: ReadableStreamDefaultController<Uint8Array>;
    const start = (controller: typeof reader) => {
      reader = controller;
      if (found.length > 0) controller.enqueue(bytesOf(found));
      if (this.isBroken) setTimeout(() => controller.error(new Error("cut off")));
      else if (this.hasEnded) controller.close();
      else this.#readers.add(controller);
    };
    return new Response(new ReadableStream({ start, cancel: () => void this.#readers.delete(reader) }));
  }
}

function bytesOf(lines: readonly Line[]): Uint8Array {
  return new TextEncoder().encode(lines.map(({ at, text }) => `${at} ${text}\n`).join(""));
}

/** A page that follows the log of a run. */
class Reader implements AsyncDisposable {
  readonly messages: LogMessage[] = [];
  readonly #clock = new FakeClock();
  readonly #over = new AbortController();
  readonly #client: HttpKubeClient;
  readonly #read: Promise<void>;

  constructor({ url }: LogServer, tailLines = 5_000) {
    this.#client = HttpKubeClient.to({ server: url, token: "t" });
    const of = { namespace: "default", name: "c", job: "a", history: undefined, signal: this.#over.signal };
    const messages = logMessages({ client: this.#client, clock: this.#clock, ...of, tailLines });
    this.#read = (async () => {
      for await (const message of messages) this.messages.push(message);
    })();
  }

  get texts(): string[] {
    return this.messages.flatMap((message) => message.kind === "line" ? [message.text] : []);
  }

  /** What is read becomes so, as time goes on. */
  async until(isSo: () => boolean): Promise<void> {
    await until(async () => {
      await this.#clock.advance(1_000);
      return isSo();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#read;
    await this.#client[Symbol.asyncDispose]();
  }
}

for (const how of ["cleanly", "off"] as const) {
  test(`a log whose connection ends ${how} is read on where it stopped`, async () => {
    await using server = new LogServer();
    server.write("2026-01-01T00:00:00.900000000Z", "before");
    server.write("2026-01-01T00:00:01.100000000Z", "one", "two");
    await using reader = new Reader(server);
    await reader.until(() => reader.texts.length === 3);
    server.cut(how);
    server.write("2026-01-01T00:00:01.100000000Z", "three");
    await reader.until(() => reader.texts.length === 4);
    assertEquals(server.asked.at(-1)?.get("sinceTime"), "2026-01-01T00:00:01Z");
    server.cut(how);
    server.write("2026-01-01T00:00:02.300000000Z", "four");
    await reader.until(() => reader.texts.length === 5);
    server.hasEnded = true;
    server.cut("cleanly");
    await reader.until(() => reader.messages.at(-1)?.kind === "end");
    assertEquals(reader.texts, ["before", "one", "two", "three", "four"]);
  });
}

test("of a second in which more was written than is shown, nothing is shown twice", async () => {
  await using server = new LogServer();
  for (let i = 1; i <= 9; i++) server.write(`2026-01-01T00:00:00.${i}00000000Z`, `${i}`);
  await using reader = new Reader(server, 3);
  await reader.until(() => reader.texts.length === 3);
  server.cut("off");
  server.write("2026-01-01T00:00:00.950000000Z", "10");
  await reader.until(() => reader.texts.length === 4);
  assertEquals(reader.texts, ["7", "8", "9", "10"]);
});

test("all is read that was written while a log was broken off, more than was asked for at first too", async () => {
  await using server = new LogServer();
  for (let i = 1; i <= 5; i++) server.write(`2026-01-01T00:00:01.${i}00000000Z`, `${i}`);
  await using reader = new Reader(server, 2);
  await reader.until(() => reader.texts.length === 2);
  server.cut("off");
  for (let i = 6; i <= 9; i++) server.write(`2026-01-01T00:00:02.${i}00000000Z`, `${i}`);
  await reader.until(() => reader.texts.length === 6);
  assertEquals(reader.texts, ["4", "5", "6", "7", "8", "9"]);
});

test("a log that ends in a fault, although its container has ended, is not read for ever", async () => {
  await using server = new LogServer();
  server.write("2026-01-01T00:00:00.100000000Z", "one");
  server.hasEnded = server.isBroken = true;
  await using reader = new Reader(server);
  await reader.until(() => reader.messages.at(-1)?.kind === "end");
  assertEquals(reader.texts, ["one"]);
  assertEquals(reader.messages.some((message) => message.kind === "trouble" && message.isFinal === true), true);
});

test("a log that cannot be read for a while is read on, and says so meanwhile", async () => {
  await using server = new LogServer();
  server.write("2026-01-01T00:00:00.100000000Z", "one");
  await using reader = new Reader(server);
  await reader.until(() => reader.texts.length === 1);
  server.refusal = 502;
  server.cut("cleanly");
  await reader.until(() => reader.messages.at(-1)?.kind === "trouble");
  server.refusal = undefined;
  await reader.until(() => reader.messages.at(-1)?.kind === "beat");
  server.write("2026-01-01T00:00:01.100000000Z", "two");
  await reader.until(() => reader.texts.length === 2);
});

test("a log that may not be read says so once", async () => {
  await using server = new LogServer();
  server.refusal = 403;
  await using reader = new Reader(server);
  await reader.until(() => reader.messages.some(({ kind }) => kind === "trouble"));
  server.hasEnded = true;
  await reader.until(() => reader.messages.at(-1)?.kind === "end");
  const troubles = reader.messages.filter((message) => message.kind === "trouble");
  assertEquals([troubles.map(({ isFinal }) => isFinal), server.asked.length], [[true], 1]);
});
