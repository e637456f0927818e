import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { BATCH, FLAVOURS, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { heartbeat } from "../../src/notifications/heartbeat.ts";
import { type Ping, pingFor, pingUrl, runIdOf, slugOf } from "../../src/notifications/ping_address.ts";
import { PingQueue } from "../../src/notifications/ping_queue.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { Receiver } from "./support/receiver.ts";
import { running } from "../support/running.ts";

test("the slug is made from namespace and name, and from the API where it is not Kubernetes' own", () => {
  const of = (namespace: string, name: string, flavour = BATCH) => slugOf({ namespace, name }, flavour);
  assertEquals(of("shop", "nightly-report"), "shop_nightly-report");
  assertEquals(of("shop", "a.b"), "shop_a_b");
  assertEquals(of("shop", "a", TUTORIAL), "shop_a__tcj");
  assertEquals(of("shop", "a", PRODUCTION), "shop_a__ccj");
  assertEquals(of("n".repeat(63), "m".repeat(52)).length, 100);
});

test("no two CronJobs have the same slug, and every slug is one", () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,9}[a-z0-9])?$/);
  const name = fc.array(label, { minLength: 1, maxLength: 12 }).map((labels) => labels.join("."));
  const cronJob = fc.tuple(label, name, fc.constantFrom(...FLAVOURS));
  fc.assert(
    fc.property(cronJob, cronJob, (a, b) => {
      const [one, other] = atLeast(2, [a, b].map(([namespace, name, flavour]) => slugOf({ namespace, name }, flavour)));
      const isSame = a.every((part, i) => part === b[i]);
      return /^[a-z0-9_-]{1,100}$/.test(one) && (one === other) === isSame;
    }),
    { numRuns: 2_000 },
  );
});

test("addresses are those of Healthchecks", () => {
  const server = { base: new URL("https://hc.example/ping/"), key: "k-1", creates: false };
  const url = (signal: Ping["signal"], more = {}) => pingUrl({ ...server, ...more }, { slug: "s", signal }).href;
  assertEquals(url("start"), "https://hc.example/ping/k-1/s/start");
  assertEquals(url("success"), "https://hc.example/ping/k-1/s");
  assertEquals(url("fail"), "https://hc.example/ping/k-1/s/fail");
  assertEquals(url({ exitCode: 3 }), "https://hc.example/ping/k-1/s/3");
  assertEquals(url({ exitCode: 70_000 }), "https://hc.example/ping/k-1/s/255");
  assertEquals(
    url("success", { creates: true, base: new URL("https://hc.example") }),
    "https://hc.example/k-1/s?create=1",
  );
  const runId = runIdOf({ uid: "u" }, "report-1");
  assert(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/.test(runId), runId);
  assertEquals(pingUrl(server, { slug: "s", signal: "start", runId }).search, `?rid=${runId}`);
});

test("runs of labelled CronJobs are pinged, those of the past and of others are not", () => {
  const labels = { "cronjob-controller.dev/ping": "true" };
  const metadata = { namespace: "n", name: "c", uid: "u", labels };
  const cronJob = { flavour: BATCH, metadata } as unknown as Parameters<typeof pingFor>[0];
  const signals = (["started", "succeeded", "failed", "skipped", "replaced"] as const).map((outcome) =>
    pingFor(cronJob, { outcome, jobName: "c-1" }, undefined)?.signal
  );
  assertEquals(signals, ["start", "success", "fail", undefined, undefined]);
  assertEquals(pingFor(cronJob, { outcome: "failed", jobName: "c-1" }, 3)?.signal, { exitCode: 3 });
  // It failed by its deadline.
  assertEquals(pingFor(cronJob, { outcome: "failed", jobName: "c-1" }, 0)?.signal, "fail");
  assertEquals(pingFor(cronJob, { outcome: "started", jobName: "c-1", isBackfill: true }, undefined), undefined);
  for (const others of [undefined, {}, { "cronjob-controller.dev/ping": "https://evil.example" }]) {
    const unlabelled = { ...cronJob, metadata: { ...metadata, labels: others } } as typeof cronJob;
    assertEquals(pingFor(unlabelled, { outcome: "started", jobName: "c-1" }, undefined), undefined);
  }
});

/** A queue at work. */
async function withQueue(
  receiver: Receiver,
  act: (queue: PingQueue, outcomes: string[]) => Promise<void>,
  { timeoutMs = 60_000, firstSlug }: { readonly timeoutMs?: number; readonly firstSlug?: string } = {},
): Promise<void> {
  const outcomes: string[] = [];
  const queue = new PingQueue({
    clock: new SystemClock(),
    server: { base: receiver.url, key: "key", creates: false },
    userAgent: "test/1",
    timeoutMs,
    firstSlug,
    observer: { notified: (_channel, outcome) => void outcomes.push(outcome) },
  });
  await using _ = running(queue);
  await act(queue, outcomes);
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 6_000) throw new Error("Never seen");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("pings of one check keep their order, and no more than two are under way", async () => {
  await using receiver = new Receiver();
  let [underWay, most] = [0, 0];
  const two = Promise.withResolvers<void>();
  receiver.answer = async () => {
    most = Math.max(most, ++underWay);
    if (most === 2) two.resolve();
    await two.promise;
    // For a third one to come.
    await new Promise((resolve) => setTimeout(resolve, 15));
    underWay--;
    return new Response("OK");
  };
  await withQueue(receiver, async (queue, outcomes) => {
    for (const slug of ["a", "b", "c"]) {
      for (const signal of ["start", "success", "start", "fail"] as const) queue.add({ slug, signal });
    }
    await until(() => outcomes.length === 12);
    for (const slug of ["a", "b", "c"]) {
      const paths = receiver.received.map(({ path }) => path).filter((path) => path.startsWith(`/key/${slug}`));
      assertEquals(paths, ["/start", "", "/start", "/fail"].map((end) => `/key/${slug}${end}`));
    }
    assertEquals([most, new Set(outcomes)], [2, new Set(["sent"])]);
  });
});

test("a ping is tried again, a redirect is not followed, and a flood is bounded", async () => {
  await using other = new Receiver();
  await using receiver = new Receiver();
  let answers = 0;
  receiver.answer = () =>
    answers++ === 0 ? new Response(null, { status: 302, headers: { location: other.url.href } }) : new Response("OK");
  await withQueue(receiver, async (queue, outcomes) => {
    queue.add({ slug: "a", signal: "success" });
    await until(() => outcomes.length === 2);
    assertEquals([outcomes, other.received], [["failed", "sent"], []]);
    outcomes.length = 0;
    for (let i = 0; i < 1_200; i++) queue.add({ slug: `s${i}`, signal: "success" });
    assertEquals(outcomes.filter((outcome) => outcome === "dropped").length, 200);
  });
});

test("checks that the server does not have hold up no others: pings of theirs are tried once, and all take turns", async () => {
  await using receiver = new Receiver();
  const isUnknown = (path: string) => path.startsWith("/key/unknown");
  receiver.answer = ({ path }) => new Response(null, { status: isUnknown(path) ? 404 : 200 });
  await withQueue(receiver, async (queue, outcomes) => {
    for (let i = 0; i < 5; i++) {
      for (const slug of ["unknown-a", "unknown-b", "unknown-c"]) queue.add({ slug, signal: "success" });
    }
    queue.add({ slug: "known", signal: "success" });
    queue.add({ slug: "heartbeat", signal: "success" });
    await until(() =>
      receiver.received.length === 17 && outcomes.filter((outcome) => outcome !== "failed").length === 17
    );
    const paths = receiver.received.map(({ path }) => path);
    assert(paths.indexOf("/key/heartbeat") < 3, `${paths}`);
    assert(paths.indexOf("/key/known") < 7, `${paths}`);
    assertEquals(paths.filter(isUnknown).length, 15);
  }, { firstSlug: "heartbeat" });
});

test("the heartbeat stops while it is unwell or does not lead, and says so in the second minute", async () => {
  const clock = new FakeClock();
  const pinged: Ping["signal"][] = [];
  let ok = true;
  const lead = Promise.withResolvers<void>();
  const beating = heartbeat({
    clock,
    pings: { add: ({ signal }) => void pinged.push(signal) },
    slug: "cronjob-controller",
    checks: () => [{ name: "a", live: true, check: () => ({ ok }) }],
    leading: { ready: () => lead.promise },
  });
  const end = new AbortController();
  const ended = beating.run(end.signal);
  await clock.advance(180_000);
  assertEquals(pinged, []);
  lead.resolve();
  await clock.advance(60_000);
  assertEquals(pinged, ["success", "success"]);
  ok = false;
  await clock.advance(60_000);
  assertEquals(pinged.length, 2);
  await clock.advance(60_000);
  assertEquals(pinged.slice(2), ["fail"]);
  ok = true;
  await clock.advance(60_000);
  assertEquals(pinged.slice(3), ["success"]);
  end.abort();
  await clock.advance(0);
  await ended;
});
