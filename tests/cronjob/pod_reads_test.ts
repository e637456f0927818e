// When a read of Pods that gave no answer keeps other CronJobs from reading theirs.
import { assertEquals } from "@std/assert";
import { settle } from "../../src/cronjob/carry_out.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { readJob } from "../../src/cronjob/api/job.ts";
import { type EndOf, KnowledgeBase } from "../../src/cronjob/knowledge/knowledge.ts";
import { CronJobReporter } from "../../src/cronjob/reporter.ts";
import { onAbort } from "../../src/base/abort.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { ObjectStore } from "../../src/runtime/store.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { table } from "../support/table.ts";
import { at, rawJobs, world } from "./support/world.ts";

const NONE: readonly string[] = [];

/** Leaves its lane after so many of its reads, and hears nothing. */
const silentAfter = (answers: number, leaves: boolean): EndOf => (_job, { signal, onLeave }) => {
  if (leaves) onLeave();
  if (answers-- > 0) return Promise.resolve({});
  return new Promise<never>((_, reject) => void onAbort(signal, () => reject(signal.reason)));
};

table("After a read of Pods", [
  ["whose server is away, others of the namespace rest", ["here"], () => Promise.reject(new UnreachableError("away"))],
  ["that left and met silence, others of the namespace rest", ["here"], silentAfter(0, true)],
  ["that never left its lane, no other rests", NONE, silentAfter(0, false)],
  ["that is slow after one that was answered, no other rests", NONE, silentAfter(1, true)],
  ["that met a Pod which cannot be read, no other rests", NONE, () => Promise.reject(new RangeError("odd"))],
], async (resting: readonly string[], endOf: EndOf) => {
  const clock = new FakeClock(at("11:05"));
  const base = new KnowledgeBase({ clock, cronJobs: new ObjectStore(), endOf });
  const given = { now: "11:05", jobs: [{ time: "10:00" }, { time: "11:00" }] };
  const { cronJob } = world(TUTORIAL, given);
  const unread = rawJobs(TUTORIAL, given).map((job) => {
    job.metadata.namespace = "here";
    return readJob([TUTORIAL], job);
  });
  const reporter = new CronJobReporter({ recorder: { record: () => {} }, exists: () => true });
  const sync = { knowledge: base.of(cronJob), writes: { cronJob }, signal: new AbortController().signal };
  const settling = settle({ clock, reporter, endOf }, { unread, deletions: unread } as never, sync as never);
  await clock.advance(5_000);
  await settling;
  const rests = (namespace: string) => {
    const { object } = cronJob;
    const metadata = { ...object.metadata, namespace, uid: "other" };
    const other = readCronJob(TUTORIAL, { ...object, metadata } as CronJobObject);
    return base.inputFor(other, base.of(other), []).ends?.retryAt !== undefined;
  };
  assertEquals(["here", "elsewhere"].filter(rests), resting);
});
