import { assertEquals, assertNotEquals } from "@std/assert";
import { NOTIFIED } from "../../src/cronjob/api/annotations.ts";
import type { CronJob } from "../../src/cronjob/api/cron_job.ts";
import type { Child } from "../../src/cronjob/api/job.ts";
import { type EndedRun, endedRunOf } from "../../src/notifications/ended_run.ts";
import {
  type NextNotification,
  nextNotification,
  type NotificationInput,
} from "../../src/notifications/next_notification.ts";
import { sentenceOf } from "../../src/notifications/notification.ts";
import {
  type NotifiedRecord,
  readNotified,
  RECORDED_RUNS,
  writeNotified,
} from "../../src/notifications/notified_record.ts";
import { must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const CRON_JOB = { apiVersion: "batch/v1", namespace: "shop", name: "report", uid: "c", zone: "Europe/Berlin" };
const NOW = at("12:00");
const MINUTE = 60_000;

function at(time: string): number {
  return Date.parse(`2026-03-10T${time.length === 5 ? `${time}:00` : time}Z`);
}

/** `x 11:58 a`: a run that failed at that time, of a Job of that UID; `o` one that succeeded. */
function runs(text: string): EndedRun[] {
  return text.split(",").filter((each) => each.trim() !== "").map((each) => {
    const [mark, time = "", uid = ""] = each.trim().split(" ");
    return {
      uid,
      jobName: `report-${uid}`,
      outcome: mark === "x" ? "failed" : "succeeded",
      endTime: at(time),
      scheduledTime: at(time),
      byHand: false,
      reason: mark === "x" ? "BackoffLimitExceeded" : undefined,
      message: mark === "x" ? "exit 3" : undefined,
    };
  });
}

/** The record of the CronJob of the UID `c`. */
function readText(text: string | undefined): NotifiedRecord | undefined {
  const metadata = {
    namespace: "shop",
    name: "report",
    uid: "c",
    annotations: text === undefined ? {} : { [NOTIFIED]: text },
  };
  return readNotified({ metadata } as unknown as CronJob);
}

/** `3 in a row, notified 11:59: a 11:58, b 11:57`. */
function recordOf(text: string | undefined): NotifiedRecord | undefined {
  const found = text === undefined ? undefined : /^(\d+) in a row, notified ([\d:]+): ?(.*)$/.exec(text)!;
  return found && {
    inARow: Number(found[1]),
    toldAt: at(must(found[2])),
    failures: must(found[3]).split(",").filter(Boolean).map((each) => {
      const [uid = "", time = ""] = each.trim().split(" ");
      return { uid, endTime: at(time) };
    }),
  };
}

function decide(ended: string, record?: string, more: Partial<NotificationInput> = {}): NextNotification {
  const given = { cronJob: CRON_JOB, record: recordOf(record), ended: runs(ended), now: NOW };
  return nextNotification({ ...given, intervalMs: 10 * MINUTE, ...more });
}

function inShort(next: NextNotification): string {
  if (next.kind === "none") return "none";
  if (next.kind === "wait") return `wait ${new Date(next.until).toISOString().slice(11, 16)}`;
  const { kind, failures, failuresInARow, jobNames } = next.notification;
  const jobs = jobNames.map((name) => name.slice("report-".length)).join(" ");
  return kind === "recovered"
    ? `recovered after ${failuresInARow}: ${jobs}`
    : `failed ${failures}, ${failuresInARow} in a row: ${jobs}`;
}

const ROWS: readonly [name: string, ended: string, record: string | undefined, told: string][] = [
  ["nothing is sent where nothing ended", "", undefined, "none"],
  ["a success is no news", "o 11:59 a", undefined, "none"],
  ["a first failure is reported at once", "x 11:59 a", undefined, "failed 1, 1 in a row: a"],
  ["a failure that was reported is not reported again", "x 11:59 a", "1 in a row, notified 11:59: a 11:59", "none"],
  [
    "a failure soon after one that was reported waits",
    "x 11:59 a, x 11:59:30 b",
    "1 in a row, notified 11:59: a 11:59",
    "wait 12:09",
  ],
  [
    "failures that waited are reported together",
    "x 11:40 a, x 11:45 b, x 11:55 c",
    "1 in a row, notified 11:40: a 11:40",
    "failed 2, 3 in a row: c b",
  ],
  [
    "a success between failures begins the row anew",
    "x 11:40 a, o 11:41 s, x 11:55 c",
    "1 in a row, notified 11:40: a 11:40",
    "failed 1, 1 in a row: c",
  ],
  [
    "a success among failures that are reported together is seen",
    "x 11:50 b, o 11:52 s, x 11:55 c",
    "4 in a row, notified 11:40: a 11:40",
    "failed 2, 1 in a row: c b",
  ],
  [
    "the row goes on over a restart whose Jobs are gone",
    "x 11:55 c",
    "4 in a row, notified 11:40: a 11:40",
    "failed 1, 5 in a row: c",
  ],
  [
    "the first success after reported failures is reported at once",
    "x 11:58 a, o 11:59 s, o 11:59:30 t",
    "2 in a row, notified 11:58: a 11:58",
    "recovered after 2: s",
  ],
  ["a recovery is reported once", "x 11:58 a, o 11:59 s", "0 in a row, notified 11:58: a 11:58", "none"],
  [
    "a success before the last reported failure is none",
    "o 11:57 s, x 11:58 a",
    "1 in a row, notified 11:58: a 11:58",
    "none",
  ],
  ["failures are reported before the recovery from them", "x 11:58 a, o 11:59 s", undefined, "failed 1, 1 in a row: a"],
  [
    "a recovery waits for failures that wait",
    "x 11:59 b, o 11:59:30 s",
    "1 in a row, notified 11:58: a 11:58",
    "wait 12:08",
  ],
  [
    "the interval does not outlast a clock that was set back",
    "x 11:59 b",
    "1 in a row, notified 12:30: a 11:58",
    "failed 1, 2 in a row: b",
  ],
];

table("notifications", ROWS, (ended, record, told) => assertEquals(inShort(decide(ended, record)), told));

test("a failure is no news after a day", () => {
  const now = NOW + 24 * 60 * MINUTE;
  assertEquals(inShort(decide("x 11:59 a", undefined, { now })), "none");
  assertEquals(inShort(decide("x 12:01 a", undefined, { now })), "failed 1, 1 in a row: a");
  assertEquals(inShort(decide("o 11:59 s", "1 in a row, notified 11:58: a 11:58", { now })), "none");
});

test("a run that is under way, or one of the past, is none to report", () => {
  const child = { metadata: { uid: "u", name: "n" }, state: "failed", endTime: NOW + 999 } as Child;
  assertEquals(endedRunOf(child)?.endTime, NOW);
  assertEquals(endedRunOf({ ...child, state: "active" }), undefined);
  assertEquals(endedRunOf({ ...child, backfill: { id: "b", scheduledTime: 0 } }), undefined);
});

test("the id is that of the runs that are reported, in any order, and of nothing else", () => {
  const idOf = (ended: string, record?: string) => {
    const next = decide(ended, record);
    return next.kind === "notify" ? next.notification.id : undefined;
  };
  assertEquals(idOf("x 11:50 a, x 11:55 b"), idOf("x 11:55 b, x 11:50 a"));
  assertEquals(idOf("x 11:50 a, x 11:55 b"), idOf("x 11:55 b, x 11:50 a", "3 in a row, notified 11:10: z 11:10"));
  assertNotEquals(idOf("x 11:50 a, x 11:55 b"), idOf("x 11:50 a"));
});

test("the record holds as many failures as it has room for, and counts older ones as reported", () => {
  const many = Array.from({ length: 40 }, (_, i) => `x 11:${String(10 + i)} j${i}`).join(",");
  const next = decide(many);
  assertEquals(next.kind, "notify");
  const record = readText(writeNotified("c", (next as Extract<NextNotification, { kind: "notify" }>).record))!;
  assertEquals(record.failures.length, RECORDED_RUNS);
  assertEquals(must(record.failures[0]).uid, "j39");
  assertEquals(
    nextNotification({
      cronJob: CRON_JOB,
      record,
      ended: runs(many),

      now: NOW + 60 * MINUTE,
      intervalMs: 1,
    })
      .kind,
    "none",
  );
});

test("an annotation that is no record counts as none", () => {
  const ofAnother = '{"uid":"d","toldAt":"2026-03-10T12:00:00Z","inARow":3,"failures":[]}';
  for (const text of [undefined, "", "7", "null", "[]", "{", '{"toldAt":"soon"}', '{"inARow":3}', ofAnother]) {
    assertEquals(readText(text), undefined, text);
  }
  const odd =
    '{"uid":"c","toldAt":"2026-03-10T12:00:00Z","inARow":"3","failures":[null,{"uid":"a"},{"uid":"b","endTime":"2026-03-10T11:00:00Z"}]}';
  assertEquals(readText(odd), { inARow: 0, toldAt: NOW, failures: [{ uid: "b", endTime: at("11:00") }] });
});

test("people read a sentence", () => {
  const sentences = [
    decide("x 11:59 a"),
    decide("x 11:40 a, x 11:45 b, x 11:55 c", "1 in a row, notified 11:40: a 11:40"),
    decide("x 11:58 a, o 11:59 s", "1 in a row, notified 11:58: a 11:58"),
  ].map((next) => next.kind === "notify" && sentenceOf(next.notification));
  assertEquals(sentences, [
    "shop/report: exit 3",
    "shop/report: 2 failed runs since Tue 2026-03-10 12:45 Europe/Berlin, the last: exit 3 (3 in a row)",
    "shop/report succeeded again after 1 failed run in a row (report-s)",
  ]);
});

test("failures from before hooks were turned on count since the last success that is remembered", () => {
  const history = runs("x 10:40 a, o 11:00 s, x 11:10 b, x 11:20 c, x 11:58 d");
  const next = decide("x 11:58 d", undefined, { history });
  assertEquals(next.kind === "notify" && next.notification.failuresInARow, 3);
});
