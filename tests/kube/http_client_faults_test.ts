import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { CRON_JOBS, JOBS } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { collect, connect, job, JOBS_PATH, posts } from "./support/connected_client.ts";
import { json, refusal, ScriptedServer } from "./support/scripted_server.ts";

test("KubeClient comes back after the time that a 429 asks for", async () => {
  await using server = new ScriptedServer();
  const clock = new FakeClock();
  await using client = connect(server, { clock });
  server.on(`POST ${JOBS_PATH}`, refusal(429, "TooManyRequests", "busy", { "retry-after": "3" }), json(job("a")));
  const created = client.create(JOBS, job("a"));
  while (server.requests.length === 0 || clock.pending < 2) await settle();
  await clock.advance(2_900);
  assertEquals(posts(server), 1);
  await clock.advance(100);
  assertEquals((await created).metadata.name, "a");
});

test("KubeClient lets its caller know when a server stays busy", async () => {
  await using server = new ScriptedServer();
  const clock = new FakeClock();
  await using client = connect(server, { clock });
  server.on(`POST ${JOBS_PATH}`, refusal(429, "TooManyRequests", "busy", { "retry-after": "0" }));
  const refused = assertRejects(() => client.create(JOBS, job("a")), ApiError);
  for (let attempts = 1; attempts < 10; attempts++) {
    while (posts(server) < attempts || clock.pending < 2) await settle();
    await clock.advance(99);
    assertEquals(posts(server), attempts);
    await clock.advance(1);
  }
  const error = await refused;
  assertEquals([error.isTooManyRequests, error.retryAfterMs, posts(server)], [true, 0, 10]);
});

test("KubeClient sends a write once when the connection breaks, and says so", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let sent = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      if (await connection.read(new Uint8Array(10_000)) !== null) sent++;
      connection.close();
    }
  })().catch(() => {/* the listener was closed */});
  {
    const server = `http://127.0.0.1:${listener.addr.port}`;
    await using client = HttpKubeClient.to({ server });
    const error = await assertRejects(() => client.create(JOBS, job("a")), UnreachableError);
    assertStringIncludes(error.message, "Cannot create jobs default/a: ");
    assertStringIncludes(error.message, "connection closed before message completed");
    assertEquals(sent, 1);
  }
  listener.close();
  await accepting;
});

test("KubeClient abandons an answer that does not come", async () => {
  await using server = new ScriptedServer();
  const clock = new FakeClock();
  await using client = connect(server, { clock, timeoutMs: 10_000 });
  const hanging = Promise.withResolvers<Response>();
  server.on(`GET ${JOBS_PATH}/a`, () => hanging.promise, json(job("a")));
  const answer = assertRejects(
    () => client.get(JOBS, { name: "a", namespace: "default" }),
    UnreachableError,
    "gives no answer",
  );
  while (server.requests.length === 0) await settle();
  await clock.advance(11_000);
  await answer;
  hanging.resolve(new Response());
  // The connection may be dead: the next request has one of its own.
  assertEquals((await client.get(JOBS, { name: "a", namespace: "default" })).metadata.name, "a");
});

test("KubeClient abandons a body that stops in the middle", async () => {
  await using server = new ScriptedServer();
  const clock = new FakeClock();
  await using client = connect(server, { clock, timeoutMs: 10_000 });
  const feed = server.feed();
  server.on(`GET ${JOBS_PATH}`, feed.answer);
  const answer = assertRejects(() => client.list(JOBS, { namespace: "default" }), UnreachableError, "gives no answer");
  feed.send('{"items": [');
  while (server.requests.length === 0) await settle();
  await settle();
  await clock.advance(11_000);
  await answer;
});

test("KubeClient reports a refusal whose body does not come", async () => {
  await using server = new ScriptedServer();
  const clock = new FakeClock();
  await using client = connect(server, { clock, timeoutMs: 10_000 });
  const feed = server.feed();
  server.on(`GET ${JOBS_PATH}/a`, async (request) => new Response((await feed.answer(request)).body, { status: 403 }));
  const refused = assertRejects(() => client.get(JOBS, { name: "a", namespace: "default" }), ApiError, "HTTP 403");
  feed.send("{");
  while (server.requests.length === 0) await settle();
  await settle();
  await clock.advance(11_000);
  await refused;
});

test("KubeClient reports a body that is torn off", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feed = server.feed();
  server.on(`GET ${JOBS_PATH}`, feed.answer);
  const answer = assertRejects(
    () => client.list(JOBS, { namespace: "default" }),
    UnreachableError,
    "Cannot list jobs in default: ",
  );
  feed.send('{"items": [');
  while (server.requests.length === 0) await settle();
  feed.tear();
  await answer;
});

test("KubeClient ends a request whose signal is aborted", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const hanging = Promise.withResolvers<Response>();
  server.on(`GET ${JOBS_PATH}/a`, () => hanging.promise);
  const giveUp = new AbortController();
  const answer = assertRejects(() => client.get(JOBS, { name: "a", namespace: "default" }, giveUp), Error, "enough");
  while (server.requests.length === 0) await settle();
  giveUp.abort(new Error("enough"));
  await answer;
  hanging.resolve(new Response());
});

test("KubeClient ends everything under way when it is disposed of", async () => {
  await using server = new ScriptedServer();
  const client = connect(server, { maxInFlight: 2 });
  const feed = server.feed();
  const hanging = Promise.withResolvers<Response>();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer).on(`GET ${JOBS_PATH}/a`, () => hanging.promise);
  const get = () => client.get(JOBS, { name: "a", namespace: "default" });
  const all = [assertRejects(() => collect(client.watch(CRON_JOBS))), ...[1, 2, 3].map(() => assertRejects(get))];
  while (server.requests.length < 2) await settle();
  await client[Symbol.asyncDispose]();
  for (const error of await Promise.all(all)) assertStringIncludes(error.message, "client is closed");
  await assertRejects(get, UnreachableError, "client is closed");
  hanging.resolve(new Response());
  // An answer that comes at the very end is dropped a moment later.
  await settle();
});
