import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Pool } from "../../../src/kube/transport/connections.ts";
import { NotConnectedError, Openings } from "../../../src/kube/sockets/openings.ts";
import { SocketPool, type WriteRequest } from "../../../src/kube/sockets/socket_pool.ts";
import { must } from "../../support/expected.ts";
import { FakeClock, settle } from "../../support/fake_clock.ts";
import { test } from "../../support/test.ts";
import { ownPort } from "../../support/own_port.ts";

const NO_END = <R>(part: Promise<R>) => part;

function post(path = "/jobs", body = "{}"): WriteRequest {
  return { method: "POST", path, headers: { "x-test": "yes" }, body, departure: { leaves() {} } };
}

/** Takes connections, and answers just as a test says. */
class Peer implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly pool: SocketPool;
  readonly url: string;
  readonly connections: Deno.Conn[] = [];
  /** What came over each connection. */
  readonly received: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving: Promise<void>;

  constructor(respond: (connection: Deno.Conn, request: string) => Promise<void> | void, path = "") {
    const { port } = this.#listener.addr as Deno.NetAddr;
    this.url = `http://127.0.0.1:${port}${path}`;
    this.pool = new SocketPool({ url: new URL(this.url), clock: this.clock, openings: new Openings(this.clock) });
    this.#serving = this.#serve(respond);
  }

  async #serve(respond: (connection: Deno.Conn, request: string) => Promise<void> | void): Promise<void> {
    for await (const connection of this.#listener) {
      const index = this.connections.push(connection) - 1;
      this.received[index] = "";
      (async () => {
        const buffer = new Uint8Array(64 * 1024);
        for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
          const request = new TextDecoder().decode(buffer.subarray(0, count));
          this.received[index] += request;
          await respond(connection, request);
        }
        this.received[index] += "<end>";
      })().catch(() => {/* it was closed */});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.pool.close();
    for (const connection of this.connections) {
      try {
        connection.close();
      } catch {
        // The test did.
      }
    }
    this.#listener.close();
    await this.#serving.catch(() => {});
  }
}

async function answer(connection: Deno.Conn, body = "ok", header = ""): Promise<void> {
  const text = `HTTP/1.1 201 Created\r\n${header}Content-Length: ${body.length}\r\n\r\n${body}`;
  await connection.write(new TextEncoder().encode(text));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

test("SocketPool sends requests as HTTP/1.1 has them, one after the other over one connection", async () => {
  await using peer = new Peer((connection) => answer(connection), "/behind/");
  for (const body of ["{}", "é"]) {
    const { status, text } = await peer.pool.send(post("/jobs?dryRun=All", body), NO_END);
    assertEquals([status, await text()], [201, "ok"]);
  }
  const { port } = must(peer.connections[0]).localAddr as Deno.NetAddr;
  const head =
    `POST /behind/jobs?dryRun=All HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-test: yes\r\ncontent-length: 2\r\n\r\n`;
  assertEquals(peer.received, [`${head}{}${head}é`]);
});

test("SocketPool opens a connection for each request under way, and uses the youngest idle one again", async () => {
  const hanging: Deno.Conn[] = [];
  await using peer = new Peer((connection) => void hanging.push(connection));
  const both = [peer.pool.send(post("/a"), NO_END), peer.pool.send(post("/b"), NO_END)];
  await until(() => hanging.length === 2);
  for (const connection of hanging) await answer(connection);
  await Promise.all(both);
  const third = peer.pool.send(post("/c"), NO_END);
  await until(() => hanging.length === 3);
  await answer(must(hanging[2]));
  await third;
  assertEquals(peer.connections.length, 2);
});

test("SocketPool opens connections ahead, and only those that are missing", async () => {
  await using peer = new Peer((connection) => answer(connection));
  await peer.pool.send(post(), NO_END);
  await peer.pool.prepare(20);
  await until(() => peer.connections.length === 20);
  await peer.pool.prepare(20);
  await Promise.all(Array.from({ length: 20 }, () => peer.pool.send(post(), NO_END)));
  await settle();
  assertEquals(peer.connections.length, 20);
});

test("SocketPool opens no more than was asked for where the server closes them at once, or is not there", async () => {
  const port = ownPort();
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  let taken = 0;
  const taking = (async () => {
    for await (const connection of listener) {
      taken++;
      connection.close();
    }
  })();
  const clock = new FakeClock();
  const pool = new SocketPool({ url: new URL(`http://127.0.0.1:${port}`), clock, openings: new Openings(clock) });
  await pool.prepare(10);
  await until(() => taken === 10);
  listener.close();
  await taking;
  await pool.prepare(10);
  assertEquals(taken, 10);
  pool.close();
});

test("SocketPool meets no connection that the server has closed, or said something over unasked", async () => {
  await using peer = new Peer((connection) => answer(connection));
  await peer.pool.send(post(), NO_END);
  must(peer.connections[0]).close();
  await settle();
  await peer.pool.send(post(), NO_END);
  await answer(must(peer.connections[1]), "", "Connection: close\r\n");
  await until(() => must(peer.received[1]).endsWith("<end>"));
  await peer.pool.send(post(), NO_END);
  assertEquals(peer.connections.length, 3);
});

test("SocketPool asks once it has a connection whether the request may leave, and keeps the connection if not", async () => {
  await using peer = new Peer((connection) => answer(connection));
  const departure = {
    leaves() {
      throw new Error("not any more");
    },
  };
  await assertRejects(() => peer.pool.send({ ...post("/withheld"), departure }, NO_END), Error, "not any more");
  await until(() => peer.connections.length === 1);
  await peer.pool.send(post("/sent"), NO_END);
  assertEquals([peer.connections.length, must(peer.received[0]).includes("withheld")], [1, false]);
});

test("SocketPool notices that the server has closed, or spoken on, a connection while the program was busy", async () => {
  const said = { "its end": "", "a timeout": "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n" };
  for (const [what, text] of Object.entries(said)) {
    await using peer = new Peer((connection) => answer(connection));
    await peer.pool.send(post(), NO_END);
    await peer.clock.advance(60_000);
    await must(peer.connections[0]).write(new TextEncoder().encode(text));
    await must(peer.connections[0]).closeWrite();
    // Nothing is read meanwhile.
    const busyUntil = performance.now() + 30;
    while (performance.now() < busyUntil);
    assertEquals((await peer.pool.send(post(), NO_END)).status, 201, what);
    assertEquals(peer.connections.length, 2);
  }
});

test("SocketPool opens nothing while what it abandoned still opens, and nothing for longer than five seconds", async () => {
  const port = ownPort();
  const silent = Deno.listen({ hostname: "127.0.0.1", port });
  const clock = new FakeClock();
  const url = new URL(`https://127.0.0.1:${port}`);
  const pool = new SocketPool({ url, clock, openings: new Openings(clock) });
  const slow = assertRejects(() => pool.send(post(), NO_END), NotConnectedError, "5000 ms");
  const accepted = await silent.accept();
  await clock.advance(5_000);
  await slow;
  await assertRejects(() => pool.send(post(), NO_END), NotConnectedError, "abandoned");
  accepted.close();
  silent.close();
  let error: Error;
  do {
    await settle();
    error = await assertRejects(() => pool.send(post(), NO_END), NotConnectedError);
  } while (error.message.includes("abandoned"));
  assertStringIncludes(error.message, "refused");
  pool.close();
});

test("SocketPool sends header values without the white space around them, as fetch does", async () => {
  await using peer = new Peer((connection) => answer(connection));
  await peer.pool.send({ ...post(), headers: { authorization: "Bearer t\n" } }, NO_END);
  assert(must(peer.received[0]).includes("\r\nauthorization: Bearer t\r\n"));
});

test("SocketPool does not use a connection again that the server means to close", async () => {
  await using peer = new Peer((connection) => answer(connection, "ok", "Connection: close\r\n"));
  for (let sent = 1; sent <= 2; sent++) await peer.pool.send(post(), NO_END);
  assertEquals(peer.connections.length, 2);
});

test("SocketPool sends a request once, though the connection breaks before or in the answer", async () => {
  for (const part of ["", "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\nhalf"]) {
    await using peer = new Peer(async (connection) => {
      await connection.write(new TextEncoder().encode(part));
      connection.close();
    });
    await assertRejects(() => peer.pool.send(post(), NO_END), Error);
    assertEquals(peer.connections.length, 1);
  }
});

test("SocketPool abandons the connection of a request that is ended, while it opens too", async () => {
  await using peer = new Peer(() => {});
  const stop = Promise.withResolvers<never>();
  const ended = (part: Promise<unknown>) => Promise.race([part, stop.promise]);
  const sent = assertRejects(() => peer.pool.send(post(), ended as typeof NO_END), Error, "enough");
  await until(() => peer.received[0] !== undefined && peer.received[0] !== "");
  stop.reject(new Error("enough"));
  await sent;
  await until(() => must(peer.received[0]).endsWith("<end>"));
  await assertRejects(() => peer.pool.send(post(), ended as typeof NO_END), Error, "enough");
  await until(() => peer.received[1] === "<end>");
});

test("SocketPool closes what was idle for more than a minute, and at its end", async () => {
  await using peer = new Peer((connection) => answer(connection));
  await peer.pool.send(post(), NO_END);
  await peer.clock.advance(69_000);
  assertEquals(must(peer.received[0]).endsWith("<end>"), false);
  await peer.clock.advance(1_000);
  await until(() => must(peer.received[0]).endsWith("<end>"));
  await peer.pool.send(post(), NO_END);
  peer.pool.close();
  await until(() => must(peer.received[1]).endsWith("<end>"));
  assertEquals(peer.clock.pending, 0);
});

test("SocketPool does not use a connection again that was answered before the request had left", async () => {
  const clock = new FakeClock();
  // More than the peer's buffers take while it does not read.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const pool = new SocketPool({ url: new URL(`http://127.0.0.1:${port}`), clock, openings: new Openings(clock) });
  const sent = pool.send(post("/large", "x".repeat(20_000_000)), NO_END);
  const connection = await listener.accept();
  await answer(connection, "too large");
  assertEquals(await (await sent).text(), "too large");
  const next = pool.send(post(), NO_END);
  const other = await listener.accept();
  await answer(other);
  await next;
  pool.close();
  for (const each of [connection, other, listener]) each.close();
});

test("Pool sends by fetch where no connection of its own can be opened", async () => {
  await using peer = new Peer((connection) => answer(connection));
  const nowhere = new SocketPool({
    url: new URL(`http://127.0.0.1:${ownPort()}`),
    clock: peer.clock,
    openings: new Openings(peer.clock),
  });
  const error = await assertRejects(() => nowhere.send(post(), NO_END), NotConnectedError);
  assert(error.cause instanceof Error);
  const client = Deno.createHttpClient({});
  const pool = new Pool({ base: peer.url, client, sockets: nowhere });
  const { signal } = new AbortController();
  assertEquals(await (await pool.send(post("/by-fetch"), { signal, until: NO_END })).text(), "ok");
  assert(must(peer.received[0]).startsWith("POST /by-fetch HTTP/1.1"));
  pool.close();
});

test("SocketPool lets a request end that was under way when it was closed", async () => {
  const asked = Promise.withResolvers<Deno.Conn>();
  await using peer = new Peer((connection) => asked.resolve(connection));
  const sent = peer.pool.send(post(), NO_END);
  const connection = await asked.promise;
  peer.pool.close();
  await answer(connection);
  assertEquals((await sent).status, 201);
  await until(() => must(peer.received[0]).endsWith("<end>"));
});

test("SocketPool sends nothing that would begin another request", async () => {
  await using peer = new Peer((connection) => answer(connection));
  const broken = { ...post(), headers: { authorization: "Bearer secret\r\nx: y" } };
  const error = await assertRejects(() => peer.pool.send(broken, NO_END), TypeError, "authorization");
  assert(!error.message.includes("secret"));
  await assertRejects(() => peer.pool.send(post("/a b"), NO_END), TypeError, "/a b");
  assertEquals(peer.connections.length, 0);
});
