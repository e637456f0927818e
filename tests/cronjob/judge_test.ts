// What became, or will become, of one scheduled time.
import { assertEquals } from "@std/assert";
import { PAUSE } from "../../src/cronjob/api/annotations.ts";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { find } from "../../src/cronjob/decision/find.ts";
import { wasMissed } from "../../src/cronjob/decision/start_point.ts";
import { judge, type Judgement } from "../../src/cronjob/decision/judge.ts";
import { type Row, table } from "../support/table.ts";
import { at, clockOf, type Given, world } from "./support/world.ts";

const FORBID = { concurrencyPolicy: "Forbid" } as const;
const ALL = { catchUp: { policy: "All" } } as const;
const active = { last: "09:00", jobs: [{ time: "09:00" }] };
const stretch = (after: string, before: string) => ({ after: `2026-03-10T${after}Z`, before: `2026-03-10T${before}Z` });

/** Half-hourly, and paused after the failure at 09:45 until 10:50. */
const HALTED = {
  schedule: "*/30 * * * *",
  now: "11:30",
  time: "10:00",
  last: "11:00",
  spec: { pauseAfterFailures: 1 },
  status: {
    passedOver: [stretch("09:00:00", "11:00:00")],
    failuresInARow: {
      count: 0,
      counted: [{ endTime: "2026-03-10T09:45:00Z", jobName: "a" }],
      resumedAt: "2026-03-10T10:50:00Z",
    },
  },
};

/** By a run by hand that ended at 10:49:59. */
const HALTED_UNTIL_SUCCESS = {
  ...HALTED.status,
  failuresInARow: {
    ...HALTED.status.failuresInARow,
    counted: [{ endTime: "2026-03-10T10:49:59Z", jobName: "b" }, ...HALTED.status.failuresInARow.counted],
  },
};

/** The kind of a judgement, and its reason. */
function inWords(judged: Judgement): string {
  switch (judged.kind) {
    case "contested":
    case "unreadable":
      return `${judged.kind}: ${judged.message}`;
    case "after pause":
      return `after pause, ${clockOf(judged.startsAt)}, from ${clockOf(judged.first)} on`;
    case "to come":
      return `to come, ${clockOf(judged.startsAt)}`;
    case "stands still":
      return `${judged.isToCome ? "will stand" : "stood"} still: ${judged.standstill.reason}`;
    case "left out":
      return `left out by ${judged.by}, ${clockOf(judged.at)}`;
    case "held":
      return `held by ${judged.wait.by.map(({ metadata }) => metadata.name)} (${judged.wait.rule})`;
    case "in line":
      return `in line, ${judged.place} before it${judged.first === undefined ? "" : `, now ${clockOf(judged.first)}`}`;
    case "passed over":
      return `passed over${judged.isRecorded ? ", as is recorded" : ""}`;
    case "overtaken":
      return `overtaken by ${clockOf(judged.by)}`;
    default:
      return judged.kind;
  }
}

const rows: readonly Row<[Given & { readonly api?: Flavour; readonly time: string }, string]>[] = [
  ["its Job is there", { now: "10:30", time: "09:00", ...active }, "started"],
  ["its Job is gone, and the status names it", { now: "10:30", time: "09:00", last: "09:00" }, "started"],
  ["the schedule does not name it", { now: "10:30", time: "10:07" }, "not scheduled"],
  ["an exclusion takes it out", {
    now: "08:40",
    time: "09:00",
    spec: { exclude: [{ schedule: "0 9 * * *" }] },
  }, "excluded"],
  ["it is the next", { now: "08:40", time: "09:00" }, "to come, 09:00"],
  ["it is due", { now: "09:00", time: "09:00" }, "due"],
  ["its deadline counts from the time itself, however late a spread starts it", {
    now: "10:59",
    time: "10:00",
    last: "09:00",
    spec: { schedule: "*/10 * * * *", spreadSeconds: 3000, startingDeadlineSeconds: 3000 },
  }, "too late"],
  [
    "an active run holds it back",
    { now: "10:00", time: "10:00", ...active, spec: FORBID },
    "held by report-1773133200 (concurrencyPolicy Forbid)",
  ],
  ["an older one holds it back in line", {
    now: "11:30",
    time: "10:00",
    ...active,
    spec: { ...FORBID, ...ALL },
  }, "held by report-1773133200 (concurrencyPolicy Forbid)"],
  [
    "it is second in line",
    { now: "11:30", time: "11:00", ...active, spec: { ...FORBID, ...ALL } },
    "in line, 1 before it, now 10:00",
  ],
  ["it waits in line while it is suspended", {
    now: "11:30",
    time: "11:00",
    ...active,
    spec: { ...FORBID, ...ALL, suspend: true },
    status: { waiting: [stretch("09:00:00", "11:00:01")] },
  }, "in line, 1 before it"],
  ["a later one is due", { now: "11:30", time: "10:00", last: "09:00" }, "overtaken by 11:00"],
  [
    "its deadline is over",
    { now: "10:30", time: "10:00", last: "09:00", spec: { startingDeadlineSeconds: 60 } },
    "too late",
  ],
  ["a later one was started, as is recorded", {
    now: "11:30",
    time: "10:00",
    last: "11:00",
    status: { passedOver: [stretch("09:00:00", "11:00:00")] },
  }, "passed over, as is recorded"],
  ["a pause after failures was on then", HALTED, "left out by pause, 10:50"],
  ["a pause after failures was on then, which a success ended that was seen later", {
    ...HALTED,
    status: {
      ...HALTED_UNTIL_SUCCESS,
      recentRuns: [{ trigger: "Manual", outcome: "Succeeded", jobName: "b", endTime: "2026-03-10T10:49:59Z" }],
    },
  }, "left out by pause, 10:50"],
  [
    "a pause after failures may have been on then, or have begun with a later failure",
    { ...HALTED, status: HALTED_UNTIL_SUCCESS },
    "passed over, as is recorded",
  ],
  [
    "a later one was started, as is recorded, before the last failure",
    { ...HALTED, time: "09:30" },
    "passed over, as is recorded",
  ],
  ["the records lack it", {
    now: "11:30",
    time: "10:00",
    last: "11:00",
    status: { recentRuns: [{ scheduledTime: "2026-03-10T09:00:00Z", trigger: "Schedule", outcome: "Succeeded" }] },
  }, "passed over"],
  ["the only record is of a later one", {
    now: "11:30",
    time: "10:00",
    last: "11:00",
    status: { recentRuns: [{ scheduledTime: "2026-03-10T11:00:00Z", trigger: "Schedule", outcome: "Succeeded" }] },
  }, "passed over"],
  ["no run is recorded at all", { now: "11:30", time: "10:00", last: "11:00" }, "no record"],
  ["nothing is recorded of it", { now: "11:30", time: "10:00", last: "11:00", api: BATCH }, "no record"],
  ["it lies before the creation", { now: "10:30", time: "08:00", last: "10:00" }, "left out by creation, 08:30"],
  ["it lies before startTime", {
    now: "10:30",
    time: "11:00",
    spec: { startTime: "2026-03-10T11:30:00Z" },
  }, "left out by startTime, 11:30"],
  [
    "it lies after endTime",
    { now: "10:30", time: "11:00", spec: { endTime: "2026-03-10T10:45:00Z" } },
    "left out by endTime, 10:45",
  ],
  ["it lies before an edit", {
    now: "10:30",
    time: "10:00",
    last: "09:00",
    status: { schedule: { text: "0 * * * *", since: "2026-03-10T10:10:00Z" } },
  }, "left out by edit, 10:10"],
  ["it was due in a pause that dropped it", {
    now: "11:30",
    time: "10:00",
    last: "09:00",
    api: BATCH,
    annotations: {
      [PAUSE]: JSON.stringify({ reason: "r", since: "2026-03-10T09:30:00Z", until: "2026-03-10T11:10:00Z" }),
    },
  }, "left out by pause, 11:10"],
  ["it came at the very end of a pause that dropped it, and a later one has started since", {
    now: "12:30",
    time: "11:00",
    last: "12:00",
    api: BATCH,
    annotations: {
      [PAUSE]: JSON.stringify({ reason: "r", since: "2026-03-10T09:30:00Z", until: "2026-03-10T11:00:00Z" }),
      "cronjob-controller.dev/on-resume": "None",
    },
  }, "left out by pause, 11:00"],
  ["it came due in a pause that does not say since when, and can start no more", {
    now: "11:30",
    time: "10:00",
    last: "09:00",
    spec: { startingDeadlineSeconds: 60, pause: { until: "2026-03-10T11:10:00Z" } },
  }, "left out by rest, 11:10"],
  ["it came due before what may have suspended it was written", {
    now: "10:30",
    time: "10:00",
    last: "09:00",
    api: BATCH,
    spec: { startingDeadlineSeconds: 60 },
    written: [{ at: "10:20", fields: ["suspend"] }],
  }, "left out by rest, 10:20"],
  ["it starts at the end of a pause", {
    now: "10:30",
    time: "10:00",
    last: "09:00",
    spec: { pause: { until: "2026-03-10T10:50:00Z" } },
  }, "after pause, 10:50, from 10:00 on"],
  ["it joins a line at the end of a pause", {
    now: "10:30",
    time: "11:00",
    last: "09:00",
    spec: { ...ALL, pause: { until: "2026-03-10T11:50:00Z" } },
  }, "after pause, 11:50, from 10:00 on"],
  [
    "it is to come, and the schedule is suspended",
    { now: "08:40", time: "09:00", spec: { suspend: true } },
    "will stand still: Suspended",
  ],
  [
    "it has come, and the schedule is suspended",
    { now: "09:40", time: "09:00", spec: { suspend: true } },
    "stood still: Suspended",
  ],
  ["more than 100 were missed", { now: "03-20 10:00", time: "03-20 09:00", api: BATCH }, "overtaken by 03-20 10:00"],
  ["the schedule cannot be read", { now: "09:40", time: "09:00", schedule: "61 * * * *" }, "unreadable: "],
];

table("A scheduled time is judged", rows, ({ api = TUTORIAL, time, ...given }, wanted) => {
  const findings = find(world(api, given));
  const words = inWords(judge(findings, at(time)));
  assertEquals(wanted.endsWith(": ") ? words.slice(0, wanted.length) : words, wanted);
  // The run that is decided on is judged as it is decided.
  const { scheduled, due } = findings;
  const decided = scheduled.kind === "none" ? due.tooLate : scheduled.request.scheduledTime;
  const isMissed = decided !== undefined && wasMissed(findings, decided);
  const kinds = {
    none: isMissed ? "too late" : "left out",
    wait: "held",
    start: "due",
    failed: "due",
    done: "started",
    skip: undefined,
  };
  if (decided !== undefined) assertEquals(judge(findings, decided).kind, kinds[scheduled.kind]);
});
