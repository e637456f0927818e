import { assertEquals } from "@std/assert";
import { parseTime } from "../../src/base/epoch_ms.ts";
import { missed, MISSED_COUNT_LIMIT } from "../../src/schedule/missed_times.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { test } from "../support/test.ts";

const time = (text: string) => parseTime(text)!;

for (
  const [text, latest, count] of [
    ["*/5 9-17 * * 1-5", "2026-01-02T17:55:00Z", 11 + 9 * 12],
    ["0 9-17 * * 1-5", "2026-01-02T17:00:00Z", 9],
    ["30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", 3],
  ] as const
) {
  test(`missed() finds the Friday run of ${text} that kube-controller-manager 1.36 loses`, () => {
    const [thursday, saturday] = [time("2026-01-01T17:00:00Z"), time("2026-01-03T02:08:00Z")];
    assertEquals(missed(parseSchedule(text), thursday, saturday), { latest: time(latest), count, capped: false });
  });
}

test("missed() leaves out the run at `since` and takes in the run at `now`", () => {
  const hourly = parseSchedule("@hourly");
  const [one, two] = [time("2026-01-01T01:00:00Z"), time("2026-01-01T02:00:00Z")];
  assertEquals(missed(hourly, one, two - 1), { count: 0, capped: false });
  assertEquals(missed(hourly, one, two), { latest: two, count: 1, capped: false });
  assertEquals(missed(hourly, one - 1, two), { latest: two, count: 2, capped: false });
});

test("missed() finds nothing when the clock stands before `since`", () => {
  assertEquals(missed(parseSchedule("* * * * *"), 1e12, 1e12 - 1e9), { count: 0, capped: false });
  assertEquals(missed(parseSchedule("@every 1s"), 1e12, 1e12), { count: 0, capped: false });
});

test("missed() counts @every from its anchor, or from `since` without one", () => {
  const every = parseSchedule("@every 90s");
  const since = time("2026-01-01T00:00:30Z");
  const now = time("2026-01-01T00:03:30Z");
  assertEquals(missed(every, since, now), { latest: now, count: 2, capped: false });
  const anchored = every.anchoredAt(time("2026-01-01T00:00:00Z"));
  assertEquals(missed(anchored, since, now), { latest: time("2026-01-01T00:03:00Z"), count: 2, capped: false });
});

test("missed() says when there were more than it counts, and still finds the latest", () => {
  const [since, now] = [time("1990-01-01T00:00:00Z"), time("2026-01-01T00:00:00Z")];
  assertEquals(missed(parseSchedule("* * * * *"), since, now), {
    latest: now,
    count: MISSED_COUNT_LIMIT,
    capped: true,
  });
});

test("missed() counts from year 1, as which Go writes an absent time", () => {
  const [since, now] = [time("0001-01-01T00:00:00Z"), time("2026-01-02T00:00:00Z")];
  const yearly = parseSchedule("@yearly", { timeZone: "Europe/Berlin" });
  assertEquals(missed(yearly, since, now), { latest: time("2025-12-31T23:00:00Z"), count: 2025, capped: false });
});
