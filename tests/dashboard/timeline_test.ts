import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { timelineOf } from "../../src/dashboard/reads/timeline.ts";
import type { KeptRun } from "../../src/view/kept_runs.ts";
import type { Watched } from "../../src/view/watched.ts";
import { at, clockOf, type Given, world } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { keptRun } from "../view/support/facts.ts";

const SPAN = { from: at("06:00"), to: at("12:00") };

const kept = (time: string, ms: number) => keptRun(time, { endedAt: at(time) + ms });

function rowOf(given: Given, remembered: { kept?: KeptRun[]; isCut?: boolean; watched?: Watched } = {}) {
  const { cronJob, jobs, now } = world(BATCH, given);
  return must(timelineOf(new Map([["a", { cronJob, jobs, now, ...remembered }]]), SPAN).rows[0]);
}

const GIVEN: Given = {
  created: "02:00",
  now: "10:30",
  last: "10:00",
  spec: { successfulJobsHistoryLimit: 1 },
  jobs: [{ time: "10:00", state: "succeeded" }],
};

test("a timeline shows all that is remembered, and says from when on that is all", () => {
  const runs = (row: ReturnType<typeof rowOf>) => row.runs.map(({ at }) => clockOf(at));
  const known = (row: ReturnType<typeof rowOf>) => row.knownSince === undefined ? undefined : clockOf(row.knownSince);
  const alone = rowOf(GIVEN);
  assertEquals([runs(alone), known(alone)], [["10:00"], "10:00"]);
  const cut = rowOf(GIVEN, { kept: [kept("10:00", 1_000), kept("09:00", 1_000), kept("08:00", 1_000)], isCut: true });
  assertEquals([runs(cut), known(cut)], [["10:00", "09:00", "08:00"], "08:00"]);
  const whole = rowOf(GIVEN, { kept: [kept("09:00", 1_000)], watched: { since: at("01:00"), gaps: [] } });
  assertEquals([runs(whole), known(whole)], [["10:00", "09:00"], undefined]);
});

test("a timeline says since when a cluster's runs were watched, and in which parts of its span they were not", () => {
  const gap = (since: string, until: string) => ({ since: at(since), until: at(until) });
  const watched = { since: at("03:00"), gaps: [gap("04:00", "05:00"), gap("05:30", "06:30"), gap("08:00", "08:10")] };
  const { knownSince, gaps } = rowOf(GIVEN, { kept: [kept("09:00", 1_000)], watched });
  assertEquals([clockOf(must(knownSince)), gaps.map((gap) => gap.map(clockOf))], [
    "03:00",
    [["05:30", "06:30"], ["08:00", "08:10"]],
  ]);
  // Jobs that are there say more than an archive that has just begun.
  const young = { since: at("10:15"), gaps: [] };
  assertEquals(clockOf(must(rowOf(GIVEN, { kept: [], watched: young }).knownSince)), "10:00");
  const unborn = { since: undefined, gaps: [] };
  assertEquals(clockOf(must(rowOf(GIVEN, { kept: [], watched: unborn }).knownSince)), "10:00");
});

test("a stretch without a start is none where a run was active", () => {
  const passedOver = `${new Date(at("07:00")).toISOString()}/${new Date(at("09:00")).toISOString()}`;
  const given = { ...GIVEN, annotations: { "cronjob-controller.dev/passed-over": passedOver } };
  const stretches = (remembered: KeptRun[]) =>
    rowOf(given, { kept: remembered }).passedOver.map((stretch) => stretch.map(clockOf));
  assertEquals(stretches([]), [["07:00", "09:00"]]);
  assertEquals(stretches([kept("07:30", 30 * 60_000)]), [["07:00", "07:30"], ["08:00", "09:00"]]);
  assertEquals(stretches([kept("06:30", 3 * 60 * 60_000)]), []);
  const { run, ...rest } = kept("07:00", 0);
  const unknown = (endedAt?: number): KeptRun => ({ ...rest, run: { ...run, outcome: "Unknown", endedAt } });
  assertEquals(stretches([unknown()]), [["07:00", "09:00"]]);
  assertEquals(stretches([unknown(at("08:00"))]), [["08:00", "09:00"]]);
});
