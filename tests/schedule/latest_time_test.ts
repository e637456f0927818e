import { assertEquals } from "@std/assert";
import { FIRST_INSTANT, LAST_INSTANT, parseTime } from "../../src/base/epoch_ms.ts";
import { latestTime } from "../../src/schedule/latest_time.ts";
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
  test(`The Friday run of ${text} is found, which kube-controller-manager 1.36 loses`, () => {
    const [thursday, saturday] = [time("2026-01-01T17:00:00Z"), time("2026-01-03T02:08:00Z")];
    assertEquals(latestTime(parseSchedule(text), thursday, saturday), time(latest));
    assertEquals(parseSchedule(text).count(thursday, saturday), count);
  });
}

test("A run at `since` was not missed, and a run at `now` was", () => {
  const hourly = parseSchedule("@hourly");
  const [one, two] = [time("2026-01-01T01:00:00Z"), time("2026-01-01T02:00:00Z")];
  assertEquals(latestTime(hourly, one, two - 1), undefined);
  assertEquals(latestTime(hourly, one, two), two);
});

test("Nothing was missed when the clock stands before `since`", () => {
  assertEquals(latestTime(parseSchedule("* * * * *"), 1e12, 1e12 - 1e9), undefined);
  assertEquals(latestTime(parseSchedule("@every 1s"), 1e12, 1e12), undefined);
});

test("@every counts from its anchor", () => {
  const every = parseSchedule("@every 90s").anchoredAt(time("2026-01-01T00:00:00Z"));
  const [since, now] = [time("2026-01-01T00:00:30Z"), time("2026-01-01T00:03:30Z")];
  assertEquals(latestTime(every, since, now), time("2026-01-01T00:03:00Z"));
});

test("Runs are counted from year 1, as which Go writes an absent time", () => {
  const [since, now] = [time("0001-01-01T00:00:00Z"), time("2026-01-02T00:00:00Z")];
  const yearly = parseSchedule("@yearly", { timeZone: "Europe/Berlin" });
  assertEquals(latestTime(yearly, since, now), time("2025-12-31T23:00:00Z"));
  assertEquals(yearly.count(since, now), 2025);
});

test("no time is looked for beyond the calendar, however far a deadline leads", () => {
  const far = Number.MAX_SAFE_INTEGER * 1_000_000;
  for (
    const [text, first] of [["*/5 * * * *", FIRST_INSTANT], [
      "0 9 * * 1-5",
      FIRST_INSTANT + (2 * 24 + 9) * 3_600_000,
    ]] as const
  ) {
    const schedule = parseSchedule(text);
    assertEquals([schedule.next(far), schedule.previous(-far), schedule.count(far, 2 * far)], [
      undefined,
      undefined,
      0,
    ]);
    assertEquals(schedule.next(-far), first);
    assertEquals(schedule.previous(far), schedule.previous(LAST_INSTANT + 1));
    assertEquals(schedule.count(-far, far), schedule.count(FIRST_INSTANT - 1, LAST_INSTANT));
  }
});
