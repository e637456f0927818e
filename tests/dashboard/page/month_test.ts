import { assertEquals } from "@std/assert";
import { daysOf, monthOf } from "../../../src/dashboard/page/model/month.ts";
import type { RowRun } from "../../../src/dashboard/wire.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

const at = Date.parse;

test("a month begins and ends by the wall clock of its zone, its weeks on Monday", () => {
  // Of 31 days, of which one has 25 hours.
  const october = monthOf(at("2026-11-20T01:58:00Z"), "Europe/Berlin", 1);
  assertEquals([october.name, october.dates.length, october.before], ["October 2026", 31, 3]);
  assertEquals([october.from, october.to], [at("2026-09-30T22:00:00Z"), at("2026-10-31T23:00:00Z")]);
  // It is the next month already, and the year before that is another.
  const january = monthOf(at("2026-12-31T20:00:00Z"), "Asia/Tokyo", 0);
  assertEquals([january.name, monthOf(january.from, "Asia/Tokyo", 1).name], ["January 2027", "December 2026"]);
});

test("a day shows the worst of its runs, what is planned, and where not all is known", () => {
  const zone = "Asia/Tokyo";
  const month = monthOf(at("2026-11-20T00:00:00Z"), zone, 0);
  const run = (time: string, outcome: RowRun["outcome"]): RowRun => ({ at: at(time), outcome });
  const days = daysOf(month, {
    runs: [
      run("2026-11-10T15:30:00Z", "Succeeded"),
      run("2026-11-11T10:00:00Z", "Failed"),
      run("2026-11-11T12:00:00Z", "Succeeded"),
      run("2026-11-12T01:00:00Z", "Succeeded"),
      run("2026-11-12T02:00:00Z", "Succeeded"),
    ],
    planned: [at("2026-11-21T00:00:00Z"), at("2026-11-21T01:00:00Z")],
    knownSince: at("2026-11-09T20:00:00Z"),
  }, zone);
  const on = (date: string) => must(days.find((day) => day.date === `2026-11-${date}`));
  assertEquals(on("11"), {
    date: "2026-11-11",
    worst: "Failed",
    says: "1 failed, 2 succeeded",
    short: "1/3",
    isKnown: true,
  });
  assertEquals(on("12"), { date: "2026-11-12", worst: "Succeeded", says: "2 succeeded", short: "2", isKnown: true });
  assertEquals(on("21"), { date: "2026-11-21", says: "2 planned", short: "", isKnown: true });
  assertEquals([on("09").isKnown, on("10").isKnown], [false, true]);
});
