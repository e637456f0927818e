import { assert, assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { CRON_JOBS, JOBS } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { collect, connect, job, JOBS_PATH } from "./support/connected_client.ts";
import { json, refusal, ScriptedServer, stored } from "./support/scripted_server.ts";

test("KubeClient watches until the server ends the stream", async () => {
  await using server = new ScriptedServer();
  await using client = connect(server);
  const feed = server.feed();
  server.on("GET /apis/batch/v1/cronjobs", feed.answer);
  let opened = 0;
  const events = collect(
    client.watch(CRON_JOBS, { resourceVersion: "5", timeoutSeconds: 300, onOpen: () => opened++ }),
  );
  const object = stored(CRON_JOBS);
  feed.event("ADDED", object);
  feed.send('{"type":"BOOKMARK","object":');
  feed.send('{"metadata":{"resourceVersion":"9"}}}\n{"type":"DEL');
  feed.end();
  assertEquals(await events, [
    { type: "ADDED", object },
    { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
  ]);
  assertEquals(opened, 1);
  assertEquals(must(server.requests[0]).query, {
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
  must(feeds[0]).send("<html>\n");
  await assertRejects(() => collect(client.watch(CRON_JOBS)), ApiError, "of 6 characters that is no JSON");
  must(feeds[1]).send('{"type":"RENAMED"}\n');
  await assertRejects(() => collect(client.watch(CRON_JOBS)), ApiError, "unknown type");
  const torn = assertRejects(() => collect(client.watch(CRON_JOBS)), UnreachableError, "Cannot watch cronjobs: ");
  while (server.requests.length < 3) await settle();
  must(feeds[2]).tear();
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
  feed.event("ADDED", stored(CRON_JOBS));
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
  feed.event("ADDED", stored(CRON_JOBS));
  while (events.length < 1) await settle();
  await clock.advance(59_000);
  feed.event("BOOKMARK", { metadata: { resourceVersion: "9" } });
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
