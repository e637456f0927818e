import { assert, assertEquals, assertMatch } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { JOBS } from "../../src/kube/resource.ts";
import type { NotificationObserver } from "../../src/notifications/channel.ts";
import { refusal } from "../runtime/support/fake_api.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { KeptChannel, NOTIFIED, Notifying } from "./support/notifying.ts";

const MINUTE = 60_000;

test("a failure is reported at once and recorded, those that follow together, and the recovery from them", async () => {
  await using notifying = await Notifying.start();
  const { channel, clock } = notifying;
  const cronJob = notifying.cronJob();
  await notifying.end(cronJob, "a", "Failed");
  assertEquals(channel.inShort, ["failed 1 (1 in a row)"]);
  assertMatch(notifying.record()!, /"inARow":1.*"uid":"/);
  for (const name of ["b", "c", "d"]) {
    await clock.advance(MINUTE);
    await notifying.end(cronJob, name, "Failed");
  }
  assertEquals(channel.told.length, 1);
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort.slice(1), ["failed 3 (4 in a row)"]);
  await notifying.end(cronJob, "e", "Complete");
  await notifying.end(cronJob, "f", "Complete");
  assertEquals(channel.inShort.slice(2), ["recovered after 4"]);
  assertMatch(notifying.record()!, /"inARow":0/);
  assertEquals(notifying.outcomes, ["webhook sent 1", "webhook sent 1", "webhook sent 1"]);
});

test("a storm becomes one notification of each CronJob and interval, and nothing of it is lost", async () => {
  await using notifying = await Notifying.start();
  const { channel, clock, api } = notifying;
  const cronJob = notifying.cronJob();
  await notifying.end(cronJob, "first", "Failed");
  for (let second = 0; second < 5; second++) {
    for (let i = 0; i < 100; i++) {
      const name = `run-${second}-${i}`;
      notifying.put(cronJob, name, "Failed");
      // History has room for none.
      api.remove(JOBS, { namespace: "shop", name });
    }
    await clock.advance(1_000);
  }
  await clock.advance(10 * MINUTE);
  assertEquals(channel.told.length, 2);
  assertEquals(channel.told.reduce((sum, { failures }) => sum + failures, 0), 501);
  assertEquals(channel.told.at(-1)?.failuresInARow, 501);
});

test("of more failures than there is room for the oldest are dropped, and counted", async () => {
  await using notifying = await Notifying.start();
  const { channel, clock } = notifying;
  const cronJob = notifying.cronJob();
  await notifying.end(cronJob, "first", "Failed");
  for (let i = 0; i < 1_003; i++) notifying.put(cronJob, `more-${i}`, "Failed");
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort.slice(1), ["failed 1000 (1001 in a row)"]);
  assertEquals(notifying.outcomes.filter((outcome) => outcome === "webhook dropped 1").length, 3);
});

test("successes take no place of a failure that waits", async () => {
  await using notifying = await Notifying.start();
  const { channel, clock, api } = notifying;
  const cronJob = notifying.cronJob();
  await notifying.end(cronJob, "first", "Failed");
  await notifying.end(cronJob, "second", "Failed");
  await clock.advance(1_000);
  for (let i = 0; i < 1_003; i++) notifying.put(cronJob, `good-${i}`, "Complete");
  await clock.advance(1_000);
  for (let i = 0; i < 1_003; i++) api.remove(JOBS, { namespace: "shop", name: `good-${i}` });
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort, ["failed 1 (1 in a row)", "failed 1 (2 in a row)", "recovered after 2"]);
});

test("a process that dies before the record sends the same under the same id, and one after it sends nothing", async () => {
  const dying = await Notifying.start();
  const { api, clock } = dying;
  const cronJob = dying.cronJob();
  // It is reported, and the process dies before that is written.
  api.intercept = (verb) => {
    if (verb === "patch") throw refusal(500, "InternalError", "gone");
  };
  await dying.end(cronJob, "a", "Failed");
  assertEquals(dying.channel.told.length, 1);
  assertEquals(dying.record(), undefined);
  await dying[Symbol.asyncDispose]();
  api.intercept = undefined;
  for (const expected of [1, 0]) {
    await using next = await Notifying.start({ api, clock });
    await clock.advance(1_000);
    assertEquals(next.channel.told.length, expected);
    for (const { id } of next.channel.told) assertEquals(id, must(dying.channel.told[0]).id);
  }
});

test("a refused delivery is tried again with the same content, although more has failed by then", async () => {
  const channel = new KeptChannel();
  await using notifying = await Notifying.start({ channel });
  const { clock } = notifying;
  const cronJob = notifying.cronJob();
  const tried: string[] = [];
  channel.before = ({ id, failures }) => {
    tried.push(`${id} ${failures}`);
    if (tried.length < 4) throw new Error("Cannot send: the answer is 500");
  };
  await notifying.end(cronJob, "a", "Failed");
  await notifying.end(cronJob, "b", "Failed");
  await clock.advance(5 * MINUTE);
  assertEquals(tried.length, 4);
  assertEquals(new Set(tried).size, 1);
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort, ["failed 1 (1 in a row)", "failed 1 (2 in a row)"]);
  assertEquals(notifying.outcomes.filter((outcome) => outcome === "webhook failed 1").length, 3);
});

test("what can't be sent within a day is dropped, counted, and does not hold up what follows", async () => {
  const channel = new KeptChannel();
  await using notifying = await Notifying.start({ channel });
  const { clock } = notifying;
  const cronJob = notifying.cronJob();
  channel.before = () => {
    throw new Error("Cannot send: the answer is 500");
  };
  await notifying.end(cronJob, "a", "Failed");
  await clock.jump(24 * 60 * MINUTE);
  await clock.advance(10 * MINUTE);
  assert(notifying.outcomes.includes("webhook dropped 1"), notifying.outcomes.at(-1));
  channel.before = () => {};
  await notifying.end(cronJob, "b", "Failed");
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort, ["failed 1 (1 in a row)"]);
});

test("a recovery that can't be reported within a day is dropped too, and Jobs that history keeps are counted once", async () => {
  const channel = new KeptChannel();
  await using notifying = await Notifying.start({ channel });
  const { clock } = notifying;
  const cronJob = notifying.cronJob();
  await notifying.end(cronJob, "a", "Failed");
  for (let i = 0; i < 150; i++) notifying.put(cronJob, `more-${i}`, "Failed");
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort.slice(1), ["failed 150 (151 in a row)"]);
  channel.before = () => {
    throw new Error("Cannot send: the answer is 500");
  };
  await notifying.end(cronJob, "b", "Complete");
  await clock.jump(24 * 60 * MINUTE);
  await clock.advance(10 * MINUTE);
  assertEquals(notifying.outcomes.at(-1), "webhook dropped 1");
  channel.before = () => {};
  await clock.advance(10 * MINUTE);
  assertEquals(channel.inShort.length, 2);
  await notifying.end(cronJob, "c", "Complete");
  assertEquals(channel.inShort.slice(2), ["recovered after 151"]);
});

test("runs of CronJobs of others, and of those that are gone, are not reported", async () => {
  await using notifying = await Notifying.start();
  const { channel, api, clock } = notifying;
  await notifying.end(notifying.cronJob("foreign"), "a", "Failed");
  const gone = notifying.cronJob("gone");
  api.remove(BATCH.resource, { namespace: "shop", name: "gone" });
  await clock.advance(1_000);
  await notifying.end(gone, "b", "Failed");
  assertEquals(channel.told, []);
});

test("a copy of a CronJob does not inherit what was reported of it", async () => {
  await using notifying = await Notifying.start();
  const { channel, api, clock } = notifying;
  await notifying.end(notifying.cronJob(), "a", "Failed");
  const copy = notifying.cronJob("copy");
  const annotations = { [NOTIFIED]: must(notifying.record()) };
  api.put(BATCH.resource, { ...copy, metadata: { ...copy.metadata, annotations } });
  await notifying.end(copy, "b", "Complete");
  assertEquals(channel.inShort, ["failed 1 (1 in a row)"]);
  await notifying.end(copy, "c", "Failed");
  assertEquals(channel.inShort, ["failed 1 (1 in a row)", "failed 1 (1 in a row)"]);
  await clock.advance(1_000);
  await notifying.end(copy, "d", "Complete");
  assertEquals(channel.inShort.at(-1), "recovered after 1");
});

test("without the right to record it is sent all the same, and goes on", async () => {
  await using notifying = await Notifying.start();
  const { channel, api, clock } = notifying;
  const cronJob = notifying.cronJob();
  api.intercept = (verb) => {
    if (verb === "patch") throw refusal(403, "Forbidden", "no");
  };
  await notifying.end(cronJob, "a", "Failed");
  await clock.advance(10 * MINUTE);
  await notifying.end(cronJob, "b", "Failed");
  assertEquals(channel.inShort, ["failed 1 (1 in a row)", "failed 1 (2 in a row)"]);
});

test("at most two deliveries are under way", async () => {
  const channel = new KeptChannel();
  await using notifying = await Notifying.start({ channel });
  const { clock } = notifying;
  let [underWay, most] = [0, 0];
  channel.before = async () => {
    most = Math.max(most, ++underWay);
    await clock.sleep(1_000);
    underWay--;
  };
  for (const name of ["a", "b", "c", "d", "e"]) await notifying.end(notifying.cronJob(name), `${name}-1`, "Failed");
  await clock.advance(5_000);
  assertEquals([channel.told.length, most], [5, 2]);
});

test("a replica that does not lead sends nothing, and a new leader what the former one left unsent", async () => {
  const lead = Promise.withResolvers<void>();
  const leading = { ready: () => lead.promise, isLeader: true };
  await using notifying = await Notifying.start({ leading });
  const { channel, clock } = notifying;
  await notifying.end(notifying.cronJob(), "a", "Failed");
  await clock.advance(MINUTE);
  assertEquals(channel.told, []);
  lead.resolve();
  await clock.advance(1_000);
  assertEquals(channel.inShort, ["failed 1 (1 in a row)"]);
  leading.isLeader = false;
  await notifying.end(notifying.cronJob("other"), "b", "Failed");
  await clock.advance(MINUTE);
  assertEquals(channel.told.length, 1);
  // Its Lease was in doubt, and is not any more.
  leading.isLeader = true;
  await clock.advance(10_000);
  assertEquals(channel.told.length, 2);
});

test("a failure is reported too whose CronJob is seen only after it", async () => {
  await using notifying = await Notifying.start();
  const { channel, clock } = notifying;
  // The Job is the first object that there is, its CronJob the second.
  const metadata = { namespace: "shop", name: "report", uid: "uid-2" };
  const toCome = { apiVersion: "batch/v1", kind: "CronJob", metadata } as ReturnType<Notifying["cronJob"]>;
  await notifying.end(toCome, "a", "Failed");
  assertEquals(channel.told, []);
  assertEquals(notifying.cronJob().metadata.uid, metadata.uid);
  await clock.advance(1_000);
  assertEquals(channel.inShort, ["failed 1 (1 in a row)"]);
});

test("an observer hears once of each notification that went out, and once until when further failures wait", async () => {
  const heard: string[] = [];
  const observer: NotificationObserver = {
    notified: () => {},
    sent: (cronJob) => void heard.push(`sent ${cronJob}`),
    waits: (cronJob, until) => void heard.push(`${cronJob} waits for ${(until - began) / MINUTE} min`),
  };
  await using notifying = await Notifying.start({ observer });
  const began = notifying.clock.now();
  const cronJob = notifying.cronJob();
  await notifying.end(cronJob, "a", "Failed");
  await notifying.end(cronJob, "b", "Failed");
  await notifying.end(cronJob, "c", "Failed");
  await notifying.clock.advance(10 * MINUTE);
  assertEquals(heard, ["sent shop/report", "shop/report waits for 10 min", "sent shop/report"]);
});
