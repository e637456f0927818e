import { assertEquals } from "@std/assert";
import { formatTime, parseTime } from "../../src/base/epoch_ms.ts";
import { test } from "../support/test.ts";

test("parseTime reads RFC 3339", () => {
  const cases: [text: string, same: string][] = [
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02t03:04:05.999z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
  ];
  for (const [text, same] of cases) assertEquals(formatTime(parseTime(text)!), same, text);
});

test("parseTime refuses times that do not exist, as Kubernetes does", () => {
  const wrong = [
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-04-31T00:00:00+02:00",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:60:00Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00-12:60",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "yesterday",
    "",
    null,
    undefined,
  ];
  for (const text of wrong) assertEquals(parseTime(text), undefined, String(text));
});

test("No instant is beyond those that RFC 3339 has digits for, whatever the offset from UTC", () => {
  const cases: [text: string, same: string][] = [
    ["0000-01-01T00:00:00+14:00", "0000-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59Z"],
    ["9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59Z"],
  ];
  for (const [text, same] of cases) assertEquals(formatTime(parseTime(text)!), same, text);
});

test("parseTime reads what formatTime writes, on more days than are remembered", () => {
  const day = 24 * 3_600_000;
  for (const start of [Date.parse("1960-01-01T00:00:00Z"), Date.parse("2026-03-10T09:08:07Z"), 0]) {
    for (let instant = start; instant < start + 3_000 * day; instant += day + 61_000) {
      const text = new Date(instant).toISOString().replace(".000", "");
      assertEquals([formatTime(instant), parseTime(text)], [text, instant]);
    }
  }
});

test("parseTime refuses times of the day that do not exist, also of a day that was read before", () => {
  assertEquals(parseTime("2026-03-10T09:00:00Z"), Date.parse("2026-03-10T09:00:00Z"));
  for (const time of ["24:00:00", "23:60:00", "23:59:60", "2a:00:00", "23:59:60.5"]) {
    assertEquals(parseTime(`2026-03-10T${time}Z`), undefined, time);
  }
});
