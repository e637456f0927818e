import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { Place } from "../../src/kube/client.ts";
import { listAll } from "../../src/kube/paging.ts";
import { type Job, JOBS, LEASES, NAMESPACES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { connect, job, JOBS_PATH } from "./support/connected_client.ts";
import { json, page, refusal, ScriptedServer, stored } from "./support/scripted_server.ts";

test("KubeClient asks for what its caller wants, by Kubernetes' paths", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { userAgent: "me/1.0" });
  server
    .on(`GET ${JOBS_PATH}/a`, json(job("a")))
    .on("GET /apis/batch/v1/jobs", page(JOBS))
    .on(`POST ${JOBS_PATH}`, json(job("a"), { status: 201 }))
    .on(`PUT ${JOBS_PATH}/a/status`, json(job("a")))
    .on(`PATCH ${JOBS_PATH}/a`, json(job("a")))
    .on(`DELETE ${JOBS_PATH}/a`, json({ kind: "Status", status: "Success" }))
    .on("GET /api/v1/namespaces/x", json(stored(NAMESPACES, "x")));
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
  assertEquals(must(seen[5]).body, [{ op: "test" }]);
  assertEquals(must(seen[7]).body, {
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

test("KubeClient sends what is JSON already as it is, and parses the answer when it is read", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const looks =
    '{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a","namespace":"default","uid":"u"},"not": parsed }';
  server.on(
    `POST ${JOBS_PATH}`,
    () => new Response(looks, { status: 201 }),
    refusal(409, "AlreadyExists", "there"),
  );
  const create = () =>
    client.createText(JOBS, { name: "a", namespace: "default" }, '{  "kind": "Job" }', { fieldManager: "me" });
  const { length, read } = await create();
  assertEquals(length, looks.length);
  assertThrows(read, SyntaxError);
  assertEquals(server.requests.map(({ body, query }) => [body, query]), [['{  "kind": "Job" }', {
    fieldManager: "me",
  }]]);
  await assertRejects(create, ApiError, "Cannot create jobs default/a: there");
});

test("KubeClient sends requests with the place that they were given until one fails, and the next waits", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server, { maxInFlight: 1 });
  const answered = json(job("a"), { status: 201 });
  server.on(`POST ${JOBS_PATH}`, answered, answered, refusal(409, "AlreadyExists", "it exists"), answered);
  const placed = Promise.withResolvers<Place>();
  client.whenFree("run", "default", { start: placed.resolve, turnAway: placed.reject });
  const place = await placed.promise;
  const create = () => client.createText(JOBS, { name: "a", namespace: "default" }, "{}", { lane: "run", place });
  await create();
  await create();
  assert(place.isHeld);
  await assertRejects(create, ApiError);
  assert(!place.isHeld);
  await create();
  assertEquals(server.requests.length, 4);
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
  server.on(`GET ${JOBS_PATH}`, page(JOBS, [item as Job]));
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

test("KubeClient leaves the answer to a raw request to its caller", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on("GET /readyz", () => new Response("ok")).on("GET /log", () => new Response("one\ntwo\n"));
  assertEquals(await (await client.raw("/readyz")).text(), "ok");
  assertEquals(await (await client.raw("/log", { headers: { accept: "*/*" } })).text(), "one\ntwo\n");
  assertEquals(must(server.requests[1]).headers.get("accept"), "*/*");
  await assertRejects(() => client.raw("/nothing"), ApiError, "Cannot get /nothing: ");
});

test("listAll() asks for page after page", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(
    "GET /apis/coordination.k8s.io/v1/leases",
    page(LEASES, [stored(LEASES, "a"), stored(LEASES, "b")], { continue: "more" }),
    page(LEASES, [stored(LEASES, "c")], { continue: "" }),
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
