import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { Place } from "../../src/kube/client.ts";
import { createKubeClient, type KubeClientOptions } from "../../src/kube/http_client.ts";
import { listAll } from "../../src/kube/paging.ts";
import { CRON_JOBS, EVENTS, type Job, JOBS, LEASES, NAMESPACES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { json, refusal, ScriptedServer } from "./scripted_server.ts";

const JOBS_PATH = "/apis/batch/v1/namespaces/default/jobs";

function job(name: string, more: Record<string, unknown> = {}): Job {
  const metadata = {
    name,
    namespace: "default",
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata, ...more };
}

/** Without the probes. */
function posts(server: ScriptedServer): number {
  return server.requests.filter(({ method }) => method === "POST").length;
}

function connect(server: ScriptedServer, options: KubeClientOptions = {}) {
  return createKubeClient({ server: server.url, token: "secret" }, options);
}

test("KubeClient asks for what it is told to, by Kubernetes' paths", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { userAgent: "me/1.0" });
  server
    .on(`GET ${JOBS_PATH}/a`, json(job("a")))
    .on("GET /apis/batch/v1/jobs", json({ metadata: { resourceVersion: "7" }, items: [] }))
    .on(`POST ${JOBS_PATH}`, json(job("a"), { status: 201 }))
    .on(`PUT ${JOBS_PATH}/a/status`, json(job("a")))
    .on(`PATCH ${JOBS_PATH}/a`, json(job("a")))
    .on(`DELETE ${JOBS_PATH}/a`, json({ kind: "Status", status: "Success" }))
    .on("GET /api/v1/namespaces/x", json({}));
  const name = { name: "a", namespace: "default" };

  await client.get(JOBS, name);
  await client.get(NAMESPACES, { name: "x" });
  await client.list(JOBS, { labelSelector: "a=b,c in (d)", limit: 5, continueToken: "t&" });
  await client.create(JOBS, job("a"), { fieldManager: "me", dryRun: true });
  await client.replace(JOBS, job("a"), { subresource: "status" });
  await client.patch(JOBS, name, { type: "json", operations: [{ op: "test" }] });
  await client.patch(JOBS, name, { type: "apply", body: { x: 1 }, fieldManager: "me", force: true });
  await client.delete(JOBS, name, { propagationPolicy: "Background", preconditions: { uid: "u" } });

  const seen = server.requests.map(({ method, path, query, body, headers }) => ({
    what: `${method} ${path}`,
    query,
    body: body && JSON.parse(body),
    type: headers.get("content-type"),
  }));
  const typed = (type: string | null) => ({ query: {}, body: "", type });
  assertEquals(seen.slice(0, 3), [
    { ...typed(null), what: `GET ${JOBS_PATH}/a` },
    { ...typed(null), what: "GET /api/v1/namespaces/x" },
    {
      ...typed(null),
      what: "GET /apis/batch/v1/jobs",
      query: { labelSelector: "a=b,c in (d)", limit: "5", continue: "t&" },
    },
  ]);
  assertEquals(seen.slice(3).map(({ what, query, type }) => ({ what, query, type })), [
    { what: `POST ${JOBS_PATH}`, query: { dryRun: "All", fieldManager: "me" }, type: "application/json" },
    { what: `PUT ${JOBS_PATH}/a/status`, query: {}, type: "application/json" },
    { what: `PATCH ${JOBS_PATH}/a`, query: {}, type: "application/json-patch+json" },
    {
      what: `PATCH ${JOBS_PATH}/a`,
      query: { fieldManager: "me", force: "true" },
      type: "application/apply-patch+yaml",
    },
    { what: `DELETE ${JOBS_PATH}/a`, query: {}, type: "application/json" },
  ]);
  assertEquals(seen[5].body, [{ op: "test" }]);
  assertEquals(seen[7].body, {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy: "Background",
    preconditions: { uid: "u" },
  });
  for (const { headers } of server.requests) {
    assertEquals(headers.get("authorization"), "Bearer secret");
    assertEquals(headers.get("user-agent"), "me/1.0");
  }
});

test("KubeClient sends no name that a path could be read otherwise with", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const odd = ["", ".", "..", "a/b", "../secrets", "a/status", "a%2fstatus", "/"];
  for (const name of odd) {
    const asked = {
      get: () => client.get(JOBS, { namespace: "default", name }),
      replace: () => client.replace(JOBS, job(name)),
      patch: () => client.patch(JOBS, { namespace: "default", name }, { type: "merge", body: {} }),
      delete: () => client.delete(JOBS, { namespace: "default", name }),
      "create a subresource": () => client.create(JOBS, job(name), { subresource: "status" }),
    };
    for (const [verb, ask] of Object.entries(asked)) {
      const { code } = await assertRejects(ask, ApiError, `Cannot use the name ${JSON.stringify(name)}: it may not`);
      assertEquals(code, 400, verb);
    }
  }
  // No namespace means all of them, to Kubernetes too.
  for (const namespace of odd.slice(1)) {
    await assertRejects(() => client.list(JOBS, { namespace }), ApiError, `Cannot use the namespace`);
    await assertRejects(() => Array.fromAsync(client.watch(JOBS, { namespace })), ApiError, `Cannot use the namespace`);
  }
  assertEquals(server.requests, []);
});

test("KubeClient passes objects on untouched, fields from the future included", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(`POST ${JOBS_PATH}`, ({ body }) => new Response(body, { status: 201 }));
  const object = job("a", { spec: { template: { spec: { fieldFromTheFuture: { deep: [1, null, "1e9"] } } } } });
  assertEquals(await client.create(JOBS, object), object);
});

test("KubeClient sends what is JSON already as it is, and gives the answer as it came", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(
    `POST ${JOBS_PATH}`,
    () => new Response('{ "not":  parsed }', { status: 201 }),
    refusal(409, "AlreadyExists", "there"),
  );
  const create = () =>
    client.createText(JOBS, { name: "a", namespace: "default" }, '{  "kind": "Job" }', { fieldManager: "me" });
  assertEquals(await create(), '{ "not":  parsed }');
  assertEquals(server.requests.map(({ body, query }) => [body, query]), [['{  "kind": "Job" }', {
    fieldManager: "me",
  }]]);
  await assertRejects(create, ApiError, "Cannot create jobs default/a: there");
});

test("KubeClient sends a request with the place that it was given, and one whose place is gone waits", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { maxInFlight: 1 });
  const answered = () => new Response("{}", { status: 201 });
  server.on(`POST ${JOBS_PATH}`, answered, answered);
  const placed = Promise.withResolvers<Place>();
  client.whenFree("run", "default", { start: placed.resolve, turnAway: placed.reject });
  const place = await placed.promise;
  const create = () => client.createText(JOBS, { name: "a", namespace: "default" }, "{}", { lane: "run", place });
  await create();
  assert(!place.isHeld);
  await create();
  assertEquals(server.requests.length, 2);
});

test("KubeClient takes no answer for a creation that is not an object", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  for (const body of ["", "<html>It works!</html>", '{"kind": "Jo']) {
    server.on(`POST ${JOBS_PATH}`, () => new Response(body));
    const create = () => client.createText(JOBS, { name: "a", namespace: "default" }, "{}");
    await assertRejects(create, UnreachableError, "Cannot create jobs default/a: the server's answer is no JSON");
  }
});

test("KubeClient gives the items of a list their kind", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const { apiVersion: _, kind: __, ...item } = job("a");
  server.on(`GET ${JOBS_PATH}`, json({ metadata: { resourceVersion: "7" }, items: [item] }));
  assertEquals((await client.list(JOBS, { namespace: "default" })).items, [job("a")]);
});

test("KubeClient turns a refusal into an ApiError that says what could not be done", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server
    .on(`POST ${JOBS_PATH}`, refusal(409, "AlreadyExists", 'jobs.batch "a" already exists'))
    .on(`GET ${JOBS_PATH}/a`, () => new Response("the proxy is down", { status: 502 }));
  const exists = await assertRejects(() => client.create(JOBS, job("a")), ApiError);
  assertEquals(exists.message, 'Cannot create jobs default/a: jobs.batch "a" already exists');
  assertEquals([exists.isAlreadyExists, exists.isConflict, exists.code], [true, false, 409]);
  const broken = await assertRejects(() => client.get(JOBS, { name: "a", namespace: "default" }), ApiError);
  assertEquals([broken.message, broken.reason], ["Cannot get jobs default/a: the proxy is down", ""]);
});

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

test("KubeClient tells its caller when a server stays busy", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(`POST ${JOBS_PATH}`, refusal(429, "TooManyRequests", "busy", { "retry-after": "0" }));
  const error = await assertRejects(() => client.create(JOBS, job("a")), ApiError);
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
    await using client = createKubeClient({ server });
    const error = await assertRejects(() => client.create(JOBS, job("a")), UnreachableError);
    assertStringIncludes(error.message, "Cannot create jobs default/a: ");
    assertStringIncludes(error.message, "connection closed before message completed");
    assertEquals(sent, 1);
  }
  listener.close();
  await accepting;
});

test("KubeClient gives up on an answer that does not come", async () => {
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

test("KubeClient gives up on a body that stops in the middle", async () => {
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

test("KubeClient tells of a refusal whose body does not come", async () => {
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

test("KubeClient asks its guard immediately before each write, and sends nothing that it forbids", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(`GET ${JOBS_PATH}/a`, json(job("a"))).on(`POST ${JOBS_PATH}`, json(job("a")));
  let leading = true;
  const guarded = client.guarded(() => {
    if (!leading) throw new Error("no longer leader");
  });
  await guarded.create(JOBS, job("a"));
  leading = false;
  const name = { name: "a", namespace: "default" };
  await assertRejects(() => guarded.create(JOBS, job("a")), Error, "no longer leader");
  await assertRejects(() => guarded.createText(JOBS, name, "{}"), Error, "no longer leader");
  await assertRejects(() => guarded.replace(JOBS, job("a")), Error, "no longer leader");
  await assertRejects(() => guarded.patch(JOBS, name, { type: "merge", body: {} }), Error, "no longer leader");
  await assertRejects(() => guarded.delete(JOBS, name), Error, "no longer leader");
  await guarded.get(JOBS, name);
  await client.create(JOBS, job("a"));
  assertEquals(server.requests.map(({ method }) => method), ["POST", "GET", "POST"]);
});

test("KubeClient asks its guard again after waiting for a busy server", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  let asked = 0;
  server.on(`POST ${JOBS_PATH}`, refusal(429, "TooManyRequests", "busy", { "retry-after": "0" }), json(job("a")));
  await client.guarded(() => void asked++).create(JOBS, job("a"));
  assertEquals(asked, 2);
});

test("KubeClient asks its guard after a write has waited for its turn", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { maxInFlight: 1 });
  const hanging = Promise.withResolvers<Response>();
  server.on(`POST ${JOBS_PATH}`, () => hanging.promise);
  let leading = true;
  const guarded = client.guarded(() => {
    if (!leading) throw new Error("no longer leader");
  });
  const first = guarded.create(JOBS, job("a"), { lane: "run" });
  const second = assertRejects(() => guarded.create(JOBS, job("b"), { lane: "run" }), Error, "no longer leader");
  while (server.requests.length === 0) await settle();
  leading = false;
  hanging.resolve(Response.json(job("a")));
  await first;
  await second;
  assertEquals(server.requests.length, 1);
});

test("KubeClient tells its guard whether the server said what became of a write", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const told: boolean[] = [];
  const guarded = client.guarded(() => (answered) => void told.push(answered));
  server.on(
    `POST ${JOBS_PATH}`,
    json(job("a")),
    refusal(409, "AlreadyExists", "there"),
    refusal(504, "Timeout", "slow"),
  );
  await guarded.create(JOBS, job("a"));
  await assertRejects(() => guarded.create(JOBS, job("a")), ApiError);
  await assertRejects(() => guarded.create(JOBS, job("a")), ApiError);
  const hanging = Promise.withResolvers<Response>();
  server.on(`POST ${JOBS_PATH}`, () => hanging.promise);
  const giveUp = new AbortController();
  const write = assertRejects(() => guarded.create(JOBS, job("a"), giveUp), Error, "enough");
  while (server.requests.length < 4) await settle();
  giveUp.abort(new Error("enough"));
  await write;
  hanging.resolve(new Response());
  assertEquals(told, [true, true, false, false]);
});

test("KubeClient tells its observer about each exchange and each warning", async () => {
  await using server = new ScriptedServer();
  const seen: unknown[] = [];
  await using client = connect(server, {
    observer: {
      onRequest: ({ verb, resource, method, code }) => seen.push([verb, resource, method, code]),
      onWarning: ({ text }) => seen.push(text),
    },
  });
  const warning = '299 - "batch/v1beta1 is \\"old\\"", 299 - "unknown field"';
  server
    .on(`PATCH ${JOBS_PATH}/a/status`, () => Response.json(job("a"), { headers: { warning } }))
    .on(`GET ${JOBS_PATH}`, json({ metadata: {}, items: [] }));
  const name = { name: "a", namespace: "default" };
  await client.patch(JOBS, name, { type: "merge", body: {} }, { subresource: "status" });
  await client.list(JOBS, { namespace: "default" });
  await client.get(JOBS, name).catch(() => {});
  assertEquals(seen, [
    ["patch", "jobs/status", "PATCH", 200],
    'batch/v1beta1 is "old"',
    "unknown field",
    ["list", "jobs", "GET", 200],
    ["get", "jobs", "GET", 404],
  ]);
});

test("KubeClient keeps no more requests in flight than it may, and sends a due run first", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { maxInFlight: 2 });
  let inFlight = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, ++inFlight);
    await settle();
    inFlight--;
    return Response.json(job("x"));
  };
  server.on(`POST ${JOBS_PATH}`, slow).on("POST /api/v1/namespaces/default/events", slow);
  const event = (name: string) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: "default" },
    involvedObject: {},
  });
  await Promise.all([
    ...Array.from({ length: 6 }, (_, i) => client.create(EVENTS, event(`e${i}`), { lane: "event" })),
    ...Array.from({ length: 6 }, (_, i) => client.create(JOBS, job(`j${i}`), { lane: "run" })),
  ]);
  assertEquals(most, 2);
  const order = server.requests.map(({ path }) => path.endsWith("/jobs") ? "run" : "event").join(" ");
  assertEquals(order.replace(/^event /, ""), "run run run run run run event event event event event");
});

test("KubeClient watches until the server ends the stream", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feed = server.feed();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer);
  let opened = 0;
  const events = collect(
    client.watch(CRON_JOBS, { resourceVersion: "5", timeoutSeconds: 300, onOpen: () => opened++ }),
  );
  feed.event("ADDED", { metadata: { name: "a" } });
  feed.send('{"type":"BOOKMARK","object":');
  feed.send('{"metadata":{"resourceVersion":"9"}}}\n{"type":"DEL');
  feed.end();
  assertEquals(await events, [
    { type: "ADDED", object: { metadata: { name: "a" } } },
    { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
  ]);
  assertEquals(opened, 1);
  assertEquals(server.requests[0].query, {
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: "5",
    timeoutSeconds: "300",
  });
});

test("KubeClient throws what a watch is refused with, before it starts and in the middle", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feed = server.feed();
  const expired = {
    kind: "Status",
    status: "Failure",
    message: "too old resource version",
    reason: "Expired",
    code: 410,
  };
  server.on("GET /apis/batch/v1/cronjobs", refusal(403, "Forbidden", "not you"), feed.answer);
  assert((await assertRejects(() => collect(client.watch(CRON_JOBS)), ApiError, "not you")).isForbidden);
  feed.event("ERROR", expired);
  assert((await assertRejects(() => collect(client.watch(CRON_JOBS)), ApiError, "too old")).isExpired);
});

test("KubeClient reports garbage in a watch, and a stream that is torn", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feeds = [server.feed(), server.feed(), server.feed()];
  server.on("GET /apis/batch/v1/cronjobs", ...feeds.map((feed) => feed.answer));
  feeds[0].send("<html>\n");
  await assertRejects(() => collect(client.watch(CRON_JOBS)), ApiError, "of 6 characters that is no JSON");
  feeds[1].send('{"type":"RENAMED"}\n');
  await assertRejects(() => collect(client.watch(CRON_JOBS)), ApiError, "unknown type");
  const torn = assertRejects(() => collect(client.watch(CRON_JOBS)), UnreachableError, "Cannot watch cronjobs: ");
  while (server.requests.length < 3) await settle();
  feeds[2].tear();
  await torn;
});

test("KubeClient ends a silent watch when its signal is aborted", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feed = server.feed();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer);
  const stop = new AbortController();
  const events = collect(client.watch(CRON_JOBS, { signal: stop.signal, onOpen: () => stop.abort() }));
  assertEquals(await events, []);
  await feed.cancelled;
  assertEquals(await collect(client.watch(CRON_JOBS, { signal: stop.signal })), []);
  assertEquals(server.requests.length, 1);
});

test("KubeClient closes a watch that its caller leaves", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feed = server.feed();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer);
  feed.event("ADDED", {});
  for await (const _ of client.watch(CRON_JOBS)) break;
  await feed.cancelled;
});

test("KubeClient counts a watch that stays silent for too long as dead", async () => {
  await using server = new ScriptedServer();
  const clock = new FakeClock();
  await using client = connect(server, { clock, watchIdleMs: 60_000 });
  const feed = server.feed();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer);
  const events: string[] = [];
  const watching = assertRejects(
    async () => {
      for await (const { type } of client.watch(CRON_JOBS)) events.push(type);
    },
    UnreachableError,
    "gives no answer",
  );
  feed.event("ADDED", {});
  while (events.length < 1) await settle();
  await clock.advance(59_000);
  feed.event("BOOKMARK", {});
  while (events.length < 2) await settle();
  await clock.advance(59_000);
  assertEquals(events, ["ADDED", "BOOKMARK"]);
  await clock.advance(3_000);
  await watching;
});

test("KubeClient does not let open watches take the places of other requests", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { maxInFlight: 1 });
  const feeds = [server.feed(), server.feed()];
  server.on("GET /apis/batch/v1/cronjobs", ...feeds.map((feed) => feed.answer)).on(
    `GET ${JOBS_PATH}/a`,
    json(job("a")),
  );
  const stop = new AbortController();
  const watches = feeds.map(() => collect(client.watch(CRON_JOBS, { signal: stop.signal })));
  while (server.requests.length < 2) await settle();
  await client.get(JOBS, { name: "a", namespace: "default" });
  stop.abort();
  await Promise.all(watches);
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
});

test("KubeClient leaves the answer to a raw request to its caller", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on("GET /readyz", () => new Response("ok")).on("GET /log", () => new Response("one\ntwo\n"));
  assertEquals(await (await client.raw("/readyz")).text(), "ok");
  assertEquals(await (await client.raw("/log", { headers: { accept: "*/*" } })).text(), "one\ntwo\n");
  assertEquals(server.requests[1].headers.get("accept"), "*/*");
  await assertRejects(() => client.raw("/nothing"), ApiError, "Cannot get /nothing: ");
});

test("listAll() asks for page after page", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(
    "GET /apis/coordination.k8s.io/v1/leases",
    json({ metadata: { resourceVersion: "5", continue: "more" }, items: [job("a"), job("b")] }),
    json({ metadata: { resourceVersion: "5", continue: "" }, items: [job("c")] }),
  );
  const names: string[] = [];
  for await (const { metadata } of listAll(client, LEASES, { limit: 2, resourceVersion: "0" })) {
    names.push(metadata.name);
  }
  assertEquals(names, ["a", "b", "c"]);
  assertEquals(server.requests.map(({ query }) => query), [{ limit: "2", resourceVersion: "0" }, {
    limit: "2",
    continue: "more",
  }]);
});

async function collect(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const event of events) found.push(event);
  return found;
}
