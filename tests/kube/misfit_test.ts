import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { parseEvent, readList } from "../../src/kube/answers.ts";
import { looksLike, MisfitError } from "../../src/kube/misfit.ts";
import { JOBS, PODS } from "../../src/kube/resource.ts";
import { pathOf } from "../../src/kube/resource_path.ts";
import type { Answer } from "../../src/kube/sockets/answer.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { test } from "../support/test.ts";
import { collect, connect, job, JOBS_PATH } from "./support/connected_client.ts";
import { json, page, ScriptedServer, stored } from "./support/scripted_server.ts";

const NAME = { name: "a", namespace: "default" };
const OWNED = { ...NAME, ownerUid: "owner" };
const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

function owned(name = "a", uid = "owner", namespace = "default") {
  const object = stored(JOBS, name, namespace);
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "o", uid, controller: true };
  return { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
}

/** Answers that are not of the Job `default/a` of that owner. */
const MISFITS: Readonly<Record<string, unknown>> = {
  "a Status": SUCCESS,
  "a kind that nobody has": { kind: "Nobody" },
  "an empty object": {},
  "an array": [],
  "null": null,
  "another Job": owned("b"),
  "a Job of another namespace": owned("a", "owner", "other"),
  "a Job of another owner": owned("a", "another"),
  "another kind": { ...owned(), kind: "Pod", apiVersion: "v1" },
  "another API of the same kind": { ...owned(), apiVersion: "batch/v2" },
  "a Job without a UID": { ...owned(), metadata: { ...owned().metadata, uid: "" } },
};

const REQUESTS: Readonly<Record<string, { on: string; ask: (client: KubeClient) => Promise<unknown> }>> = {
  create: { on: `POST ${JOBS_PATH}`, ask: (client) => client.create(JOBS, owned() as ReturnType<typeof job>) },
  createText: { on: `POST ${JOBS_PATH}`, ask: (client) => client.createText(JOBS, OWNED, "{}") },
  get: { on: `GET ${JOBS_PATH}/a`, ask: (client) => client.get(JOBS, NAME) },
  replace: {
    on: `PUT ${JOBS_PATH}/a/status`,
    ask: (client) => client.replace(JOBS, job("a"), { subresource: "status" }),
  },
  patch: { on: `PATCH ${JOBS_PATH}/a`, ask: (client) => client.patch(JOBS, NAME, { type: "merge", body: {} }) },
  delete: { on: `DELETE ${JOBS_PATH}/a`, ask: (client) => client.delete(JOBS, NAME) },
};

for (const [verb, { on, ask }] of Object.entries(REQUESTS)) {
  test(`KubeClient believes an answer to ${verb} only if it is of that object`, async () => {
    await using server = new ScriptedServer();
    await using client = connect(server);
    server.on(on, json(owned()));
    await ask(client);
    for (const [what, answer] of Object.entries(MISFITS)) {
      // No owner is expected where none was sent, and a Status answers a deletion.
      if (what === "a Job of another owner" && !verb.startsWith("create")) continue;
      if (what === "a Status" && verb === "delete") continue;
      // Its looks are right: it is refused when it is read.
      if (what === "a Job without a UID" && verb === "createText") continue;
      server.on(on, json(answer));
      const { retryAfterMs, message } = await assertRejects(() => ask(client), UnreachableError);
      assertEquals([message.includes("the server's answer is of something else: "), retryAfterMs], [true, 1_000], what);
    }
  });
}

test("KubeClient takes a Status of success for a deletion, and no other", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  server.on(`DELETE ${JOBS_PATH}/a`, json(SUCCESS), json({ ...SUCCESS, status: "Failure" }));
  await client.delete(JOBS, NAME);
  const failed = 'Cannot delete jobs default/a: the server\'s answer is of something else: its status is "Failure"';
  await assertRejects(() => client.delete(JOBS, NAME), UnreachableError, failed);
});

test("KubeClient believes a list only if it is one of that kind, and each item its own", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const list = () => client.list(JOBS, { namespace: "default" });
  server.on(`GET ${JOBS_PATH}`, page(JOBS, [owned(), owned("b")]));
  assertEquals((await list()).items.length, 2);
  server.on(`GET ${JOBS_PATH}`, json({ kind: "JobList", metadata: { resourceVersion: "5" }, items: null }));
  assertEquals((await list()).items, []);
  const listed = (item: unknown) =>
    json({ kind: "JobList", metadata: { resourceVersion: "5" }, items: [owned(), item] });
  const rows = [
    page(PODS),
    json(owned()),
    json({ kind: "JobList", metadata: {}, items: [] }),
    json({ kind: "JobList", metadata: { resourceVersion: "5" } }),
    ...[{}, null, stored(PODS), owned("a", "owner", "other"), { metadata: { name: "a", namespace: "default" } }].map(
      listed,
    ),
  ];
  for (const row of rows) {
    server.on(`GET ${JOBS_PATH}`, row);
    await assertRejects(list, UnreachableError, "the server's answer is of something else: ");
  }
});

test("KubeClient believes a watch event only if it is of that resource", async () => {
  const events: [type: string, object: unknown][] = [
    ["ADDED", {}],
    ["MODIFIED", stored(PODS)],
    ["DELETED", SUCCESS],
    ["ADDED", owned("a", "owner", "other")],
    ["BOOKMARK", {}],
  ];
  for (const event of events) {
    await using server = new ScriptedServer();
    await using client = connect(server);
    const feed = server.feed();
    server.on(`GET ${JOBS_PATH}`, feed.answer);
    feed.event(...event);
    const watching = () => collect(client.watch(JOBS, { namespace: "default" }));
    await assertRejects(watching, ApiError, "the server sent an event of something else: ");
  }
});

test("looksLike() takes nothing for the object that only names it somewhere inside", () => {
  const expected = { resource: JOBS, ...OWNED };
  const { kind, ...rest } = owned();
  assertEquals(looksLike(expected, JSON.stringify({ kind, ...rest })), true);
  assertEquals(looksLike(expected, JSON.stringify(owned())), true);
  assertEquals(looksLike(expected, JSON.stringify({ kind: "JobList", items: [owned()] })), false);
  for (const [what, answer] of Object.entries(MISFITS)) {
    if (what !== "a Job without a UID") assertEquals(looksLike(expected, JSON.stringify(answer)), false, what);
  }
});

test("pathOf() makes no path of a collection where an object is meant", () => {
  const nameless = { namespace: "default" } as unknown as typeof NAME;
  for (const name of [nameless, { ...NAME, name: "" }, { name: "a" }, { ...NAME, namespace: "" }]) {
    assertThrows(() => pathOf(JOBS, name), ApiError, "it may not be empty");
  }
  assertEquals(pathOf(JOBS, NAME, "status"), `${JOBS_PATH}/a/status`);
});

test("A list or an event of any shape is an answer of something else, and asks for no pause that is no number", async () => {
  const answer = (body: unknown) => ({ text: () => Promise.resolve(JSON.stringify(body)) }) as Answer;
  const list = (item: unknown) => answer({ kind: "JobList", metadata: { resourceVersion: "1" }, items: [item] });
  for (const item of ["x", 1, true, null, []]) {
    await assertRejects(() => readList(list(item), { resource: JOBS }), MisfitError, "of an item, its ");
  }
  const errors = [null, undefined, "x", { details: { retryAfterSeconds: "x" } }, { details: null }];
  for (const event of [null, 1, "x", ...errors.map((object) => ({ type: "ERROR", object }))]) {
    const error = assertThrows(() => parseEvent(JSON.stringify(event), "watch jobs", { resource: JOBS }), ApiError);
    assertEquals(error.retryAfterMs, undefined);
  }
});
