import { assert, assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { LeaderElection } from "../../src/runtime/leader_election.ts";
import { settle } from "../support/fake_clock.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { TIMINGS } from "../runtime/support/candidates.ts";
import { type Answer, json, page, refusal } from "./support/scripted_server.ts";
import { job, jobsOf, World } from "./support/still_world.ts";

/** What an API server answers when an admission webhook refuses with a code of 429 and `retryAfterSeconds`. */
const REFUSED_BY_WEBHOOK: Answer = () =>
  new Response(
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"admission webhook \\"deny.example.com\\" ' +
      'denied the request: try later","reason":"TooManyRequests","details":{"retryAfterSeconds":60},"code":429}\n',
    { status: 429, headers: { "content-type": "application/json", "retry-after": "60" } },
  );

/** What kube-apiserver answers itself when it is too busy: before any admission, and where its storage is. A webhook may say the same. */
const REFUSED_BY_SERVER: Record<string, Answer> = {
  "in plain text": () =>
    new Response("Too many requests, please try again later.\n", {
      status: 429,
      headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", "retry-after": "1" },
    }),
  "as a Status": () =>
    new Response(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"The server has received too many ' +
        'requests and has asked us to try again later","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}\n',
      { status: 429, headers: { "content-type": "application/json", "retry-after": "1" } },
    ),
};

const NAMESPACES = Array.from({ length: 20 }, (_, i) => `tenant-${i}`);

test("a webhook's 429 in one namespace reaches its caller at once, and holds nothing else back", async () => {
  await using world = new World();
  world.server.on(`POST ${jobsOf("refused")}`, REFUSED_BY_WEBHOOK);
  for (const namespace of NAMESPACES) world.server.on(`POST ${jobsOf(namespace)}`, json(job(namespace)));
  for (let round = 0; round < 5; round++) {
    const refused = [1, 2, 3].map(() => assertRejects(() => world.create("refused"), ApiError, "try later"));
    await Promise.all(NAMESPACES.map((namespace) => world.create(namespace)));
    for (const error of await Promise.all(refused)) assertEquals([error.code, error.retryAfterMs], [429, 10_000]);
  }
  assertEquals(world.clock.monotonic(), 0);
  assertEquals(world.requests("GET /version"), 1);
});

for (const [form, answer] of Object.entries(REFUSED_BY_SERVER)) {
  test(`a 429 in the server's own words, ${form}, is one tenant's as long as only one hears it`, async () => {
    await using world = new World();
    // In the same namespace, too: what is refused is one Job.
    world.server.on(
      `POST ${jobsOf("tenant-0")}`,
      (request) => request.body.includes('"refused"') ? answer(request) : Response.json(job("tenant-0")),
    );
    for (const namespace of NAMESPACES.slice(1)) world.server.on(`POST ${jobsOf(namespace)}`, json(job(namespace)));
    const refuse = () => world.client.create(JOBS, { ...job("tenant-0"), kind: "refused" }, { lane: "run" });
    for (let round = 0; round < 5; round++) {
      const refused = [1, 2, 3].map(() => assertRejects(refuse, ApiError));
      await Promise.all(NAMESPACES.map((namespace) => world.create(namespace)));
      for (const error of await Promise.all(refused)) assertEquals([error.code, error.retryAfterMs], [429, 1_000]);
    }
    assertEquals(world.clock.monotonic(), 0);
  });
}

/** Refusals that show that the server is overloaded, though no probe has been answered yet. */
const EVIDENCE: Record<string, (world: World) => Promise<unknown>> = {
  "two namespaces within a second": async (world) => {
    await assertRejects(() => world.create("a"));
    await assertRejects(() => world.create("b"));
  },
  "a list": async (world) => {
    world.client.list(JOBS).catch(() => {/* the client is closed */});
    while (world.requests("GET /apis/batch/v1/jobs") === 0) await settle();
    while (world.answered < 1) await settle();
  },
  "a Lease": (world) => assertRejects(() => world.create("a", "lease")),
};

table(
  "what is refused holds others back for three seconds at most, without a probe",
  Object.entries(EVIDENCE),
  async (refuse) => {
    await using world = new World();
    const busy = refusal(429, "TooManyRequests", "busy", { "retry-after": "3600" });
    const probe = Promise.withResolvers<Response>();
    world.server.on("GET /version", () => probe.promise);
    world.server.on("GET /apis/batch/v1/jobs", busy);
    for (const namespace of ["a", "b"]) world.server.on(`POST ${jobsOf(namespace)}`, busy);
    world.server.on(`POST ${jobsOf("c")}`, json(job("c")));
    await refuse(world);
    const created = world.create("c");
    await world.clock.advance(2_900);
    assertEquals(world.requests(`POST ${jobsOf("c")}`), 0);
    await world.clock.advance(200);
    await created;
    probe.resolve(Response.json({}));
  },
);

test("webhooks' 429s in two namespaces hold nothing back for longer than a probe takes", async () => {
  await using world = new World();
  for (const namespace of ["refused", "also-refused"]) world.server.on(`POST ${jobsOf(namespace)}`, REFUSED_BY_WEBHOOK);
  for (const namespace of NAMESPACES) world.server.on(`POST ${jobsOf(namespace)}`, json(job(namespace)));
  for (let round = 0; round < 5; round++) {
    const refused = ["refused", "also-refused"].map((namespace) => assertRejects(() => world.create(namespace)));
    await Promise.all([...refused, ...NAMESPACES.map((namespace) => world.create(namespace))]);
  }
  assertEquals(world.clock.monotonic(), 0);
});

test("a refused status write goes back to its caller at once; a read waits for the server, but never for long", async () => {
  await using world = new World();
  const busy = refusal(503, "ServiceUnavailable", "going down", { "retry-after": "90" });
  world.server.on(`POST ${jobsOf("x")}`, busy).on(`GET ${jobsOf("x")}`, busy, busy, page(JOBS));
  await assertRejects(() => world.create("x", "status"), ApiError, "going down");
  await assertRejects(() => world.create("x", "event"), ApiError, "going down");
  const list = world.client.list(JOBS, { namespace: "x" });
  await world.quiet();
  await world.advance(5_900);
  assertEquals(world.requests(`GET ${jobsOf("x")}`), 2);
  await world.advance(200);
  await list;
  await assertRejects(() => world.create("x", "lease"), ApiError, "going down");
});

test("a read is abandoned after half a minute, and when its signal is aborted meanwhile", async () => {
  await using world = new World();
  world.server.on(`GET ${jobsOf("x")}`, refusal(503, "ServiceUnavailable", "down", { "retry-after": "90" }));
  const stop = new AbortController();
  const refused = assertRejects(() => world.client.list(JOBS, { namespace: "x" }), ApiError, "down");
  const stopped = assertRejects(
    () => world.client.list(JOBS, { namespace: "x", signal: stop.signal }),
    Error,
    "enough",
  );
  await world.advance(1_000);
  stop.abort(new Error("enough"));
  await stopped;
  await world.advance(30_000);
  await refused;
  assertEquals(world.requests(`GET ${jobsOf("x")}`), 11);
});

test("one refused namespace and a refused probe hold others back, for three seconds at most", async () => {
  await using world = new World();
  const busy = refusal(429, "TooManyRequests", "busy", { "retry-after": "1" });
  world.server.on("GET /version", busy).on(`POST ${jobsOf("a")}`, busy).on(`POST ${jobsOf("b")}`, json(job("b")));
  await assertRejects(() => world.create("a"));
  await world.probed();
  const created = world.create("b");
  await world.advance(2_900);
  assertEquals(world.requests(`POST ${jobsOf("b")}`), 0);
  await world.advance(200);
  await created;
});

test("the time in which refusals hold others back is counted until a probe is answered well", async () => {
  await using world = new World();
  const busy = refusal(429, "TooManyRequests", "busy", { "retry-after": "1" });
  world.server.on("GET /version", busy, json({})).on(`POST ${jobsOf("a")}`, busy);
  assertEquals([world.pausedMs, world.pausedUntil], [0, -Infinity]);
  const began = world.clock.monotonic();
  await assertRejects(() => world.create("a"));
  await world.probed();
  await world.advance(500);
  assertEquals(world.pausedMs, 500);
  await world.advance(5_000);
  assertEquals([world.pausedMs, world.pausedUntil], [1_000, began + 1_000]);
});

test("what is held back leaves as soon as a probe is answered well", async () => {
  await using world = new World();
  const busy = refusal(429, "TooManyRequests", "busy", { "retry-after": "1" });
  world.server.on("GET /version", busy, json({})).on(`POST ${jobsOf("a")}`, busy);
  world.server.on(`POST ${jobsOf("b")}`, json(job("b")));
  await assertRejects(() => world.create("a"));
  await world.probed();
  const created = world.create("b");
  await world.advance(900);
  assertEquals(world.requests(`POST ${jobsOf("b")}`), 0);
  await world.advance(200);
  await created;
});

test("a load balancer's 503 for 12 seconds is over within seconds of the server's health", async () => {
  await using world = new World();
  const { clock, server } = world;
  const down = refusal(503, "", "no healthy upstream", { "retry-after": "90" });
  const healthy = (answer: Answer): Answer => (request) => (clock.monotonic() < 12_000 ? down : answer)(request);
  server.on("GET /version", healthy(json({})));
  server.on("GET /apis/batch/v1/jobs", healthy(page(JOBS)));
  for (const namespace of NAMESPACES) server.on(`POST ${jobsOf(namespace)}`, healthy(json(job(namespace))));
  const doneAt: number[] = [];
  const done = () => void doneAt.push(clock.monotonic());
  const list = world.client.list(JOBS).then(done);
  /** As a controller does: again after a second. */
  const create = async (namespace: string): Promise<void> => {
    try {
      await world.create(namespace);
      done();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await clock.sleep(1_000);
      await create(namespace);
    }
  };
  const all = Promise.all([list, ...NAMESPACES.map(create)]);
  await world.advance(11_900);
  // Not all of them each second: what is sent while the server is down are a few rounds.
  assert(world.requests("POST") <= 6 * NAMESPACES.length, `${world.requests("POST")} requests in vain`);
  await world.advance(3_100);
  await all;
  assert(Math.max(...doneAt) <= 15_000, `the last one was done at ${Math.max(...doneAt)}`);
});

test("a leader renews its lease through four seconds of 503s that ask for a minute", async () => {
  await using world = new World();
  const { clock, server, client } = world;
  let isDown = false;
  let version = 1;
  const down = refusal(503, "", "no healthy upstream", { "retry-after": "60" });
  const store: Answer = (request) => {
    if (isDown) return down(request);
    const lease = JSON.parse(request.body);
    return Response.json({ ...lease, metadata: { ...lease.metadata, uid: "u", resourceVersion: `${version++}` } });
  };
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  server.on(`POST ${path}`, store).on(`PUT ${path}/lock`, store);
  server.on(
    "GET /apis/batch/v1/jobs",
    (request) => isDown ? down(request) : page(JOBS)(request),
  );
  const election = new LeaderElection({
    ...TIMINGS,
    client,
    clock,
    namespace: "default",
    name: "lock",
    identity: "me",
  });
  const stop = new AbortController();
  const ended = election.run(stop.signal);
  await election.ready();
  isDown = true;
  const list = client.list(JOBS);
  const before = world.requests(`PUT ${path}`);
  await world.advance(4_000);
  isDown = false;
  await world.advance(2_000);
  assert(election.isLeader);
  // Each retry period of two seconds, whatever the answer asks for.
  const attempts = world.requests(`PUT ${path}`) - before;
  assert(attempts >= 2, `${attempts} attempts`);
  const renewals = version;
  await world.advance(10_000);
  assert(election.isLeader);
  assert(version - renewals >= 4, `${version - renewals} renewals`);
  await list;
  stop.abort();
  await world.advance(100);
  await ended;
});
