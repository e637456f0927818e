import { assertEquals } from "@std/assert";
import { SCHEDULE } from "../../src/cronjob/api/annotations.ts";
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readSchedule } from "../../src/cronjob/api/schedule_reading.ts";
import { readSettings } from "../../src/cronjob/api/read_settings.ts";
import { test } from "../support/test.ts";
import { world } from "./support/world.ts";

function reading(api: typeof BATCH, schedule: string, annotation?: string) {
  const annotations: Record<string, string> = annotation === undefined ? {} : { [SCHEDULE]: annotation };
  const settings = readSettings(api, world(api, { now: "10:00", schedule, annotations }).cronJob.object);
  const read = readSchedule(settings);
  return {
    read: read.kind === "schedule" ? new Date(read.schedule.next(Date.UTC(2026, 0, 1))!).toISOString() : read.message,
    problems: settings.problems,
  };
}

test("days that depend on their month are read in the CRD's schedule and in the annotation", () => {
  const [lastWorkday, secondFriday] = ["2026-01-30T09:00:00.000Z", "2026-01-09T09:00:00.000Z"];
  assertEquals(reading(TUTORIAL, "0 9 LW * *"), { read: lastWorkday, problems: [] });
  assertEquals(reading(BATCH, "0 9 * * *", "0 9 * * FRI#2"), { read: secondFriday, problems: [] });
});

const REFUSED: readonly (readonly [schedule: string, message: string])[] = [
  [
    "0 9 L * *",
    'day-of-month "L": must be 1-31; Kubernetes has no L, W or # (pick days such as 28-31, and let the Job check the date); ' +
    "the annotation cronjob-controller.dev/schedule takes it",
  ],
  [
    "0 9 * * 7",
    'day-of-week "7": must be 0-6 or SUN-SAT; Sunday is 0; the annotation cronjob-controller.dev/schedule takes it',
  ],
  [
    "H 9 * * *",
    'minute "H": must be 0-59; Kubernetes has no H; ' +
    "the annotation cronjob-controller.dev/schedule takes it",
  ],
  // Nothing takes these.
  [
    "0 9 L * 5#6",
    'day-of-month "L": must be 1-31; Kubernetes has no L, W or # (pick days such as 28-31, and let the Job check the date)',
  ],
  ["0 9 * * 8", 'day-of-week "8": must be 0-6 or SUN-SAT; Sunday is 0'],
];

for (const [schedule, message] of REFUSED) {
  test(`batch/v1's own schedule keeps Kubernetes' grammar: ${schedule}`, () => {
    const read = `spec.schedule: ${message}`;
    assertEquals(reading(BATCH, schedule), { read, problems: [] });
  });
}

test("an annotation with a day that can't be is passed over, and the CronJob's own schedule counts", () => {
  assertEquals(reading(BATCH, "0 9 * * *", "0 9 32W * *"), {
    read: "2026-01-01T09:00:00.000Z",
    problems: [
      'annotation cronjob-controller.dev/schedule: "0 9 32W * *" is ignored: day-of-month "32W": the date before W must be 1-31',
    ],
  });
});
