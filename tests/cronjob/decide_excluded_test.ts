import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { Exclusion, OnExcluded } from "../../src/schedule/exclusions/exclusion.ts";
import { type Row, table } from "./support/table.ts";
import { type Given, world } from "./support/world.ts";
import { must } from "../support/expected.ts";

const done = { time: "09:00", state: "succeeded" } as const;
const NOON: Exclusion[] = [{ from: "2026-03-10T10:30", to: "2026-03-10T12:30" }];

/** The same in every flavour. */
function excluding(api: Flavour, exclude: Exclusion[], onExcluded?: OnExcluded): Pick<Given, "spec" | "annotations"> {
  if (api.extrasIn === "spec") return { spec: { exclude, onExcluded } };
  return {
    annotations: {
      "cronjob-controller.dev/exclude": JSON.stringify(exclude),
      ...(onExcluded && { "cronjob-controller.dev/on-excluded": onExcluded }),
    },
  };
}

/** As the status records it, so that nothing counts as edited. */
function recorded(): Given["status"] {
  const { exclusionsDigest: exclude } = world(TUTORIAL, { now: "10:00", spec: { exclude: NOON } }).cronJob.settings;
  return {
    schedule: { text: "0 * * * *", exclude: must(exclude), since: "2026-03-10T08:30:00Z" },
    observedGeneration: 1,
    counts: { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 },
  };
}

const rows = (api: Flavour): Row[] => [
  ["nothing starts at an excluded time", { ...excluding(api, NOON), last: "10:00", now: "11:00" }, {
    requeue: "13:00",
  }],
  ["after it the next time starts, and none before", { ...excluding(api, NOON), last: "10:00", now: "13:00" }, {
    start: "13:00",
    requeue: "14:00",
  }],
  ["RunAfter makes up for it where it ends", { ...excluding(api, NOON, "RunAfter"), last: "10:00", now: "12:30" }, {
    start: "12:30",
    requeue: "13:00",
  }],
  ["RunAfter knows that before", { ...excluding(api, NOON, "RunAfter"), last: "10:00", now: "11:00" }, {
    requeue: "12:30",
  }],
  ["RunAfter makes up for nothing where nothing was due", {
    ...excluding(api, [{ from: "2026-03-10T10:10", to: "2026-03-10T10:50" }], "RunAfter"),
    last: "10:00",
    now: "10:50",
  }, { requeue: "11:00" }],
  ["what makes up obeys the policy", {
    ...excluding(api, NOON, "RunAfter"),
    spec: { ...excluding(api, NOON, "RunAfter").spec, concurrencyPolicy: "Forbid" },
    last: "10:00",
    now: "12:30",
    jobs: [{ time: "10:00" }],
  }, {
    events: ["JobAlreadyActive"],
    status: { counts: {}, recentRuns: ["12:30 Waiting JobAlreadyActive", "10:00 Running"] },
    conditions: { Overdue: "JobAlreadyActive" },
    requeue: "13:00",
  }],
  ["what makes up obeys the deadline", {
    ...excluding(api, NOON, "RunAfter"),
    spec: { ...excluding(api, NOON, "RunAfter").spec, startingDeadlineSeconds: 60 },
    last: "10:00",
    now: "12:40",
  }, {
    events: ["MissSchedule"],
    status: { counts: { missed: 1 }, recentRuns: ["12:30 Missed MissSchedule"] },
    conditions: { Overdue: "MissSchedule" },
    requeue: "13:00",
  }],
  ["a day of each year", {
    ...excluding(api, [{ dates: ["--03-10"] }]),
    created: "03-09 20:30",
    last: "03-09 23:00",
    now: "09:00",
  }, { requeue: "03-11 00:00" }],
];

for (const api of [TUTORIAL, PRODUCTION]) {
  table(`decide() starts nothing at excluded times (${api.controllerName})`, api, [
    ...rows(api),
    ["excluded times are not missed", {
      spec: { exclude: NOON },
      last: "10:00",
      now: "13:00:01",
      jobs: [{ ...done, time: "10:00" }, { time: "13:00", listed: false }],
      status: { ...recorded() },
    }, {
      events: ["SawCompletedJob"],
      status: { counts: { succeeded: 1 }, lastScheduleTime: "13:00", active: ["13:00"], lastSuccessfulTime: "10:01" },
      requeue: "14:00",
    }],
    ["without what was excluded nothing from before the edit starts", {
      last: "10:00",
      now: "12:10",
      generation: 2,
      written: [{ at: "12:10", fields: ["exclude"] }],
      status: { ...recorded() },
    }, { requeue: "13:00", status: { schedule: "0 * * * * since 12:10" } }],
    ["what can't be an exclusion stops it, and says so", {
      spec: { exclude: [{ dates: ["2026-13-01"] }] },
      last: "09:00",
      now: "10:00",
    }, {
      events: ["InvalidExclusion"],
      requeue: "never",
      conditions: { Ready: "!InvalidExclusion", ScheduleValid: "!InvalidExclusion" },
    }],
    ["where everything is excluded no run can ever start", {
      spec: { exclude: [{ schedule: "* * * * *" }] },
      now: "08:45",
    }, { events: ["Excluded"], requeue: "never", conditions: { Ready: "Excluded" } }],
  ]);
}

table("decide() starts nothing at excluded times, in Kubernetes' flavour", BATCH, [
  ...rows(BATCH),
  ["an annotation that can't be read starts nothing, and is reported", {
    annotations: { "cronjob-controller.dev/exclude": '[{"dates":["2026-13-01"]}]' },
    last: "09:00",
    now: "10:00",
  }, { events: ["InvalidAnnotation", "InvalidExclusion"], requeue: "never" }],
  ["one that is no JSON either", {
    annotations: { "cronjob-controller.dev/exclude": "tomorrow" },
    last: "09:00",
    now: "10:00",
  }, { events: ["InvalidAnnotation", "InvalidExclusion"], requeue: "never" }],
]);
