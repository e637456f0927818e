import { assert, assertEquals } from "@std/assert";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { rowOf } from "../../../src/dashboard/rows/row.ts";
import { timelineOf } from "../../../src/dashboard/reads/timeline.ts";
import type { RowsMessage } from "../../../src/dashboard/wire.ts";
import type { ViewInput } from "../../../src/view/look.ts";
import { viewOf } from "../../../src/view/view_of.ts";
import { openPage, startBrowser } from "../../support/browser.ts";
import { test } from "../../support/test.ts";
import { serveSample } from "./support/sample_server.ts";

const MINUTE = 60_000;

/** A CronJob that has not run yet, as the dashboard looks at it. */
function inputAt(now: number, schedule: string): ViewInput {
  const object = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "report",
      namespace: "default",
      uid: "report",
      resourceVersion: "1",
      creationTimestamp: new Date(now - MINUTE).toISOString(),
    },
    spec: { schedule, timeZone: "Europe/Berlin", jobTemplate: { spec: {} } },
  } as unknown as CronJobObject;
  const flavour = FLAVOURS.find(({ resource }) => resource.group === "batch")!;
  return { cronJob: readCronJob(flavour, object), jobs: [], now };
}

/** What a browser in Berlin shows of half a day around `now`: its axis, and how many minutes from now the rest lies. */
async function timelineAt(now: number, schedule: string) {
  const input = inputAt(now, schedule);
  const row = rowOf(input.cronJob, viewOf(input));
  const rows: RowsMessage[] = [{ kind: "start", now, total: 1 }, { kind: "rows", now, rows: [row] }, {
    kind: "ready",
    now,
  }];
  const timeline = (_: readonly string[], from: number, to: number) =>
    timelineOf(new Map([[row.id, input]]), { from, to });
  await using server = serveSample({ rows, timeline });
  await using browser = await startBrowser();
  await using opened = await openPage(browser, `${server.url}#/timeline?hours=12`, {
    viewport: { width: 1440, height: 600 },
  });
  const { page, faults } = opened;
  await page.locator(".notch").first().waitFor();
  const drawn = await page.evaluate(() => {
    const middles = (selector: string) =>
      [...document.querySelectorAll<SVGGraphicsElement>(selector)].map((element) => {
        const { left, width } = element.getBoundingClientRect();
        return { text: element.textContent?.trim() ?? "", x: left + width / 2 };
      });
    const time = document.querySelector(".axis .lane-time")!.getBoundingClientRect();
    return {
      minutePx: time.width / 720,
      nowX: time.left + time.width / 2,
      labels: middles(".axis text"),
      notches: middles(".lanes .notch path:first-of-type"),
      says: middles(".lanes .notch title").map(({ text }) => text),
      planned: middles(".lanes .planned"),
    };
  });
  assertEquals(faults, []);
  const { labels, notches, says, planned, minutePx, nowX } = drawn;
  const minutes = ({ x }: { x: number }) => Math.round((x - nowX) / minutePx);
  return {
    labels: new Map(labels.map((label) => [label.text, minutes(label)])),
    notches: notches.map(minutes),
    says,
    planned: planned.map(minutes),
  };
}

/** The page moves on meanwhile, by less than a minute. */
function assertAbout(minutes: readonly (number | undefined)[], expected: readonly number[]): void {
  const isAbout = minutes.length === expected.length &&
    expected.every((minute, index) => Math.abs((minutes[index] ?? Infinity) - minute) <= 1);
  assert(isAbout, `${minutes} minutes from now, and not ${expected}`);
}

test("on the day of 23 hours the timeline has no 02:00, and says where the clocks go forward", async () => {
  // 00:30 in Berlin; at 02:00 it is 03:00.
  const { labels, notches, says, planned } = await timelineAt(Date.parse("2027-03-27T23:30:00Z"), "30 * * * *");
  assertEquals(labels.has("02:00"), false);
  assertAbout(["Sun 28", "01:00", "03:00", "04:00"].map((label) => labels.get(label)), [-30, 30, 90, 150]);
  assertEquals(says, ["The clocks of Europe/Berlin go forward by 60 minutes"]);
  assertAbout(notches, [90]);
  assertAbout(planned, [60, 120, 180, 240, 300, 360]);
}, { sanitize: false });

test("on the day of 25 hours the hour that comes twice is two hours wide, and the clocks go back in it", async () => {
  // 01:30 in Berlin; at 03:00 it is 02:00 again.
  const { labels, notches, says, planned } = await timelineAt(Date.parse("2026-10-24T23:30:00Z"), "30 * * * *");
  assertAbout(["01:00", "02:00", "03:00", "04:00"].map((label) => labels.get(label)), [-30, 30, 150, 210]);
  assertEquals(says, ["The clocks of Europe/Berlin go back by 60 minutes"]);
  assertAbout(notches, [90]);
  assertAbout(planned, [60, 120, 180, 240, 300, 360]);
}, { sanitize: false });

test("a time that a change of the clocks leaves out is not drawn", async () => {
  const { planned, notches } = await timelineAt(Date.parse("2027-03-27T23:30:00Z"), "30 2 * * *");
  assertEquals(planned, []);
  assertAbout(notches, [90]);
}, { sanitize: false });
