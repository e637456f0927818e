// Breaches of random timelines as they are reported, by processes that are killed between the report and its record too.
import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { troublesOf } from "../../src/cronjob/status/troubles.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { TroubleNotifier } from "../../src/notifications/trouble_notifier.ts";
import {
  expectations,
  judge,
  looks,
  seen,
  type Timeline,
  TIMELINE_UID,
  timelines,
} from "../cronjob/support/timelines.ts";
import { clockOf } from "../cronjob/support/world.ts";
import { FakeApi, refusal } from "../runtime/support/fake_api.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const TOLERATED_MS = 5_000;

interface Report {
  readonly breach: string;
  readonly id: string;
  readonly at: number;
  readonly life: number;
}

/** Lets processes report the breaches of a timeline; `dies` says of each record whether the process dies instead. */
async function reportsOf(timeline: Timeline, dies: Iterator<boolean>) {
  const clock = new FakeClock(timeline.begin);
  const api = new FakeApi(() => clock.now());
  const { resource } = PRODUCTION;
  const metadata = { namespace: "default", name: "report" };
  const { uid } = api.put(resource, { metadata } as unknown as Unstored<CronJobObject>).metadata;
  assertEquals(uid, TIMELINE_UID);
  const reports: Report[] = [];
  const deaths: number[] = [];
  const noted: { readonly breach: string; readonly from: number; readonly life: number }[] = [];
  let life = 0;
  let stop = new AbortController();
  const die = () => {
    stop.abort();
    deaths.push(clock.now());
  };
  const start = () => {
    stop = new AbortController();
    const number = ++life;
    const notifier = new TroubleNotifier({
      client: api,
      clock,
      followed: [{ flavour: PRODUCTION, cronJobs: { store: { get: () => api.peek(resource, metadata) } } }] as never,
      kinds: ["late", "slow", "stale", "suspicious"],
      channel: {
        name: "webhook",
        deliver: ({ id, ...about }) => {
          assert("troubles" in about);
          for (const { trouble } of about.troubles) {
            const breach = `${about.kind} ${clockOf(Date.parse(trouble.id))}`;
            reports.push({ breach, id, at: clock.now(), life: number });
          }
          return Promise.resolve("sent");
        },
      },
    });
    const ended = notifier.run(stop.signal);
    return { notifier, ended };
  };
  api.intercept = (verb) => {
    if (verb !== "patch" || !dies.next().value) return;
    die();
    throw refusal(500, "InternalError", "it died before");
  };
  let process = start();
  for (const { now, before } of looks(timeline)) {
    const kill = timeline.kills.find(([from, to]) => from > clock.now() && to <= now);
    if (kill && !stop.signal.aborted) {
      await clock.advance(kill[0] - clock.now());
      if (!stop.signal.aborted) die();
    }
    await clock.advance(now - clock.now());
    if (stop.signal.aborted) {
      await process.ended;
      process = start();
    }
    const findings = seen(timeline, now, before, api.all(resource)[0]?.metadata.annotations);
    const troubles = troublesOf(findings);
    process.notifier.note(findings.input.cronJob, troubles);
    for (const { kind, id } of troubles) {
      if (kind === "missed") continue;
      noted.push({ breach: `${kind} ${clockOf(Date.parse(id))}`, from: now, life });
    }
  }
  await clock.advance(60_000);
  die();
  await clock.advance(1_000_000);
  await process.ended;
  return { reports, noted, deaths };
}

/** Judges what was reported of a timeline; returns how many breaches were, and how many of them again. */
async function judged(timeline: Timeline, dies: Iterator<boolean>) {
  const expected = new Map(judge(timeline).map(({ id, since }) => [id.replace(/^./, (c) => c.toLowerCase()), since]));
  const { reports, noted, deaths } = await reportsOf(timeline, dies);
  const ids = new Map<string, string>();
  for (const { breach, id, at } of reports) {
    const since = expected.get(breach);
    assert(since !== undefined && since <= at, `${breach} is no breach, or not yet`);
    assertEquals(ids.get(breach) ?? id, id, `${breach} has two ids`);
    ids.set(breach, id);
  }
  assertEquals(new Set(ids.values()).size, ids.size, "two breaches have one id");
  for (const { breach, from, life } of noted) {
    const isCutShort = deaths.some((death) => death >= from && death <= from + TOLERATED_MS);
    const report = reports.find((each) => each.breach === breach && each.at <= from + TOLERATED_MS);
    assert(isCutShort || report, `${breach} is not reported, seen at ${clockOf(from)} by process ${life}`);
  }
  for (const breach of ids.keys()) {
    const times = reports.filter((each) => each.breach === breach).map(({ at }) => at);
    for (const [i, again] of times.slice(1).entries()) {
      const before = must(times[i]);
      const isKilled = deaths.some((death) => death >= before && death <= Math.min(again, before + TOLERATED_MS));
      assert(isKilled, `${breach} is reported again`);
    }
  }
  return { breaches: ids.size, repeated: reports.length - ids.size };
}

test("each breach is reported within 5 s of being certain under one id, and again only where a process died", async () => {
  const chances = { days: 4, none: 20, slowStart: 30, failed: 25, expect: expectations };
  const dies = fc.infiniteStream(fc.integer({ min: 0, max: 3 }).map((number) => number === 0));
  const drawn = fc.sample(fc.tuple(timelines(chances), dies), 40);
  const results = await Promise.all(drawn.map(([timeline, dies]) => judged(timeline, dies)));
  const breaches = results.reduce((sum, each) => sum + each.breaches, 0);
  assert(breaches >= 200, `${breaches} breaches`);
  assert(results.some(({ repeated }) => repeated > 0), "no process died between a report and its record");
});
