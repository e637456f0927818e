import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { CHILD_INDEXES } from "../../src/cronjob/child_cache.ts";
import { KnowledgeBase } from "../../src/cronjob/knowledge/knowledge.ts";
import { KnownJobs } from "../../src/cronjob/knowledge/known_jobs.ts";
import { type CronJob, cronJobKey } from "../../src/cronjob/api/cron_job.ts";
import { type Child, readJob } from "../../src/cronjob/api/job.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { keyOf } from "../../src/kube/object.ts";
import { ObjectStore } from "../../src/runtime/store.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { atLeast } from "../support/expected.ts";
import { at, type Given, rawJobs, world } from "./support/world.ts";

test("a decision in which the clock is found to have been ahead rests on no fact of the future", async () => {
  const clock = new FakeClock(at("11:00"));
  const base = new KnowledgeBase({ clock, cronJobs: new ObjectStore() });
  const { cronJob } = world(TUTORIAL, { now: "11:00" });
  const knowledge = base.of(cronJob);
  knowledge.witness.noteDecidedUntil(at("11:00"));
  await clock.jump(-3_600_000);
  assertEquals(base.inputFor(cronJob, knowledge, []).facts?.decidedUntil, at("10:00") - 1_000);
});

test("it stays known that no Job may be ended for its Pods while none is active, and that Pods were ready in between", () => {
  const clock = new FakeClock(at("10:05"));
  const cronJobs = new ObjectStore<CronJob>();
  const base = new KnowledgeBase({ clock, cronJobs });
  const about: Given = { now: "10:05", jobs: [{ time: "10:00" }], spec: { pendingTimeoutSeconds: 60 } };
  const { cronJob } = world(TUTORIAL, about);
  cronJobs.set(cronJobKey(cronJob), cronJob);
  const [raw] = atLeast(1, rawJobs(TUTORIAL, about));
  const jobWith = (ready: number) =>
    readJob([TUTORIAL], { ...raw, status: { startTime: raw.metadata.creationTimestamp, active: 1, ready } });
  const knowledge = base.of(cronJob);
  base.noteJob(jobWith(1), false);
  assertEquals(base.inputFor(cronJob, knowledge, [jobWith(0)]).pods?.started.has(raw.metadata.uid), true);
  knowledge.pods?.noteForbidden("jobs.batch is forbidden");
  assertEquals(base.inputFor(cronJob, knowledge, []).pods?.forbidden, "jobs.batch is forbidden");
});

test("A Job that the cache shows while it is asked for is what the cache shows, however late the answer comes", async () => {
  const clock = new FakeClock(at("10:05"));
  const about: Given = { now: "10:05", jobs: [{ time: "10:00" }] };
  const { cronJob } = world(TUTORIAL, about);
  const [raw] = atLeast(1, rawJobs(TUTORIAL, about));
  const [ended] = atLeast(1, rawJobs(TUTORIAL, { ...about, jobs: [{ time: "10:00", state: "succeeded" }] }));
  const knowledge = new KnowledgeBase({ clock, cronJobs: new ObjectStore() }).of(cronJob);
  const jobs = new ObjectStore<Child, "owner">(CHILD_INDEXES);
  const get = () => {
    jobs.set(keyOf(ended), readJob([TUTORIAL], ended));
    return Promise.resolve(raw);
  };
  const client = { get } as unknown as KubeClient;
  const known = new KnownJobs({ flavour: TUTORIAL, client, clock, jobs }, cronJob, knowledge);
  const { signal } = new AbortController();
  assertEquals((await known.all(signal)).map(({ state }) => state), ["succeeded"]);
});
