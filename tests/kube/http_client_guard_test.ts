import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { EVENTS, JOBS } from "../../src/kube/resource.ts";
import { settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { connect, job, JOBS_PATH } from "./support/connected_client.ts";
import { json, page, type Received, refusal, ScriptedServer } from "./support/scripted_server.ts";

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

test("KubeClient lets its guard know whether the server said what became of a write", async () => {
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

test("KubeClient reports each exchange to its observer", async () => {
  await using server = new ScriptedServer();
  const seen: unknown[] = [];
  await using client = connect(server, {
    observer: { onRequest: ({ verb, resource, method, code }) => seen.push([verb, resource, method, code]) },
  });
  server
    .on(`PATCH ${JOBS_PATH}/a/status`, () => Response.json(job("a")))
    .on(`GET ${JOBS_PATH}`, page(JOBS));
  const name = { name: "a", namespace: "default" };
  await client.patch(JOBS, name, { type: "merge", body: {} }, { subresource: "status" });
  await client.list(JOBS, { namespace: "default" });
  await client.get(JOBS, name).catch(() => {});
  assertEquals(seen, [
    ["patch", "jobs/status", "PATCH", 200],
    ["list", "jobs", "GET", 200],
    ["get", "jobs", "GET", 404],
  ]);
});

test("KubeClient reports to its observer that no answer came, unless it was not wanted any more", async () => {
  await using server = new ScriptedServer();
  const codes: number[] = [];
  await using client = connect(server, { observer: { onRequest: ({ code }) => codes.push(code) } });
  const hanging = Promise.withResolvers<Response>();
  server.on(`GET ${JOBS_PATH}`, () => hanging.promise);
  for (const reason of [undefined, new Error("no answer within 5 s")]) {
    const end = new AbortController();
    const before = server.requests.length;
    const list = client.list(JOBS, { namespace: "default", signal: end.signal }).catch(() => {});
    while (server.requests.length === before) await settle();
    end.abort(reason);
    await list;
  }
  hanging.resolve(new Response());
  assertEquals(codes, [0]);
});

test("KubeClient keeps no more requests in flight than it may, and sends a due run first", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { maxInFlight: 2 });
  let inFlight = 0;
  let most = 0;
  const slow = async ({ body }: Received) => {
    most = Math.max(most, ++inFlight);
    await settle();
    inFlight--;
    const object = JSON.parse(body);
    return Response.json({ ...object, metadata: { ...object.metadata, uid: "u" } });
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
  // The event that was asked for first has a place of its own, and may arrive second.
  assertEquals(order.replace(/^(run )?event /, "$1"), "run run run run run run event event event event event");
});
