import { assertEquals } from "@std/assert";
import { daysOf, monthAfter, monthOf, spanOf, withEarlier } from "../../../src/dashboard/page/model/month.ts";
import type { Calendar } from "../../../src/dashboard/wire.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

const at = Date.parse;
const NOTHING: Calendar = { runs: [], planned: [], hasMore: false, gaps: [] };

test("a month begins and ends by the wall clock of its zone, its weeks on Monday", () => {
  const october = monthOf("2026-10");
  assertEquals([october.name, october.dates.length, october.before], ["October 2026", 31, 3]);
  assertEquals(monthOf("2028-02").dates.at(-1), "2028-02-29");
  // One of its days has 25 hours.
  assertEquals(spanOf("2026-10", "Europe/Berlin"), {
    from: at("2026-09-30T22:00:00Z"),
    to: at("2026-10-31T23:00:00Z") - 1,
  });
  assertEquals([monthAfter("2027-01", -1), monthAfter("2026-12", 1)], ["2026-12", "2027-01"]);
});

test("a day is as long as the wall clock says, also where the clocks change far from Greenwich", () => {
  const hours = (date: string, zone: string) => {
    const { from, to } = must(spanOf(date, zone));
    return (to + 1 - from) / 3_600_000;
  };
  assertEquals(spanOf("2026-10-03", "Australia/Sydney")?.from, at("2026-10-02T14:00:00Z"));
  assertEquals(["2026-10-03", "2026-10-04", "2026-10-05"].map((date) => hours(date, "Australia/Sydney")), [24, 23, 24]);
  for (const text of ["", "2026", "2026-13", "2026-02-x", "2026-11-14T00"]) {
    assertEquals(spanOf(text, "UTC"), undefined);
  }
});

test("a day shows the worst of its runs, what is planned, and where runs may be missing", () => {
  const zone = "Asia/Tokyo";
  const days = daysOf(monthOf("2026-11"), {
    ...NOTHING,
    runs: [
      [at("2026-11-12T02:00:00Z"), "Succeeded"],
      [at("2026-11-12T01:00:00Z"), "Succeeded"],
      [at("2026-11-11T12:00:00Z"), "Succeeded"],
      [at("2026-11-11T10:00:00Z"), "Failed"],
      [at("2026-11-10T15:30:00Z"), "Succeeded"],
    ],
    planned: [at("2026-11-21T00:00:00Z"), at("2026-11-21T01:00:00Z"), at("2026-11-22T01:00:00Z")],
    hasMore: true,
    knownSince: at("2026-11-09T20:00:00Z"),
    gaps: [[at("2026-11-12T13:00:00Z"), at("2026-11-13T00:00:00Z")]],
  }, zone);
  const on = (date: string) => must(days.find((day) => day.date === `2026-11-${date}`));
  assertEquals(on("11"), {
    date: "2026-11-11",
    worst: "Failed",
    says: "1 failed, 2 succeeded",
    short: "1/3",
    isKnown: true,
  });
  const gap = "history was not kept from Thu 2026-11-12 22:00 to Fri 2026-11-13 09:00";
  assertEquals(on("12"), {
    date: "2026-11-12",
    worst: "Succeeded",
    says: `2 succeeded, ${gap}`,
    short: "2",
    isKnown: false,
  });
  assertEquals([on("13").says, on("14").says], [gap, ""]);
  // Of a replica that starts again and again.
  const noon = at("2026-11-12T12:00:00Z");
  const gaps = [1, 2, 3, 4].map((hour) => [noon + hour * 1_000, noon + hour * 1_000 + 500] as const);
  assertEquals(daysOf(monthOf("2026-11"), { ...NOTHING, gaps }, zone)[11]?.says, "history was not kept 4 times");
  assertEquals(on("21"), { date: "2026-11-21", says: "2 planned", short: "", isKnown: true });
  assertEquals([on("22").says, on("30").says], ["more planned", "more planned"]);
  const before = "runs may be missing before Tue 2026-11-10 05:00";
  assertEquals([on("09"), on("10"), on("11")].map(({ says }) => says), [before, before, "1 failed, 2 succeeded"]);
});

test("a calendar that is cut says so until its earlier parts are there, and has each run once", () => {
  const month = monthOf("2026-11");
  const says = (calendar: Calendar) => daysOf(month, calendar, "UTC").slice(0, 3).map(({ says }) => says);
  const noon = (day: number) => at(`2026-11-0${day}T12:00:00Z`);
  const newer: Calendar = { ...NOTHING, runs: [[noon(3), "Succeeded"], [noon(2), "Failed"]], cutAt: noon(2) };
  const missing = "runs may be missing before Mon 2026-11-02 12:00";
  assertEquals(says(newer), [missing, `1 failed, ${missing}`, "1 succeeded"]);
  // Of the instant at which it is cut there was another.
  const earlier: Calendar = {
    ...NOTHING,
    runs: [[noon(2), "Failed"], [noon(2), "Skipped"], [noon(1), "Succeeded"]],
  };
  assertEquals(says(withEarlier(newer, earlier)), ["1 succeeded", "1 failed, 1 skipped", "1 succeeded"]);
  assertEquals(withEarlier(earlier, newer), earlier);
});
