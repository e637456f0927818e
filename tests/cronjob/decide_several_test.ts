import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { ScheduleEntry } from "../../src/cronjob/api/spec_fields.ts";
import type { ObservedEntry } from "../../src/cronjob/api/types.ts";
import { decide } from "../../src/cronjob/decide.ts";
import type { DecisionInput } from "../../src/cronjob/decision/input.ts";
import { find } from "../../src/cronjob/decision/find.ts";
import { jobFor } from "../../src/cronjob/decision/job_template.ts";
import { lineOf, timesOf } from "../../src/cronjob/decision/line.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { type Row, table } from "./support/table.ts";
import { clockOf, type Given, world } from "./support/world.ts";

const HOURLY: ScheduleEntry = { schedule: "0 * * * *", name: "hourly" };
const QUARTER: ScheduleEntry = { schedule: "15 9,11 * * *", name: "quarter" };

/** The same in every flavour; `seen` is what was recorded. */
function several(
  api: Flavour,
  schedules: ScheduleEntry[],
  seen?: Record<string, string> | [text: string, since: string][],
): Partial<Given> {
  const entries = seen && (Array.isArray(seen) ? seen : Object.entries(seen)).map(([text, since]): ObservedEntry => ({
    text,
    since: `2026-03-10T${since}:00Z`,
  }));
  if (api.extrasIn === "spec") {
    const text = entries?.map(({ text }) => text).join("; ") ?? "";
    return {
      spec: { schedule: undefined, schedules },
      status: entries && {
        schedule: { text, since: must(entries[0]).since, entries },
        observedGeneration: 1,
        counts: { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 },
      },
    };
  }
  return {
    annotations: {
      "cronjob-controller.dev/schedules": JSON.stringify(schedules),
      ...(entries && { "cronjob-controller.dev/observed-schedules": JSON.stringify(entries) }),
    },
  };
}

const rows = (api: Flavour): Row[] => {
  const seen = { "0 * * * *": "08:30", "15 9,11 * * *": "08:30" };
  return [
    ["the first of either is due", { ...several(api, [HOURLY, QUARTER], seen), last: "09:00", now: "09:15" }, {
      start: "09:15",
      requeue: "10:00",
    }],
    ["and the next", { ...several(api, [HOURLY, QUARTER], seen), last: "09:15", now: "10:00" }, {
      start: "10:00",
      requeue: "11:00",
    }],
    ["where both name an instant there is one Job", {
      ...several(api, [HOURLY, { schedule: "0 10 * * *" }], { "0 * * * *": "08:30", "0 10 * * *": "08:30" }),
      last: "09:00",
      now: "10:00",
      jobs: [{ time: "10:00" }],
    }, { status: { lastScheduleTime: "10:00" }, requeue: "11:00" }],
    ["a new entry starts nothing from before it, and drops nothing of the others", {
      ...several(api, [HOURLY, { schedule: "30 * * * *" }], { "0 * * * *": "08:30" }),
      last: "09:00",
      now: "10:40",
      written: [{ at: "10:40", fields: api === BATCH ? ["cronjob-controller.dev/schedules"] : ["schedules"] }],
    }, {
      start: "10:00",
      requeue: "11:00",
      status: { schedule: "0 * * * * since 08:30; 30 * * * * since 10:40" },
    }],
    ["a change of one of them drops nothing of the others, whatever edits are to drop", {
      ...several(api, [HOURLY, { schedule: "19 * * * *" }], { "0 * * * *": "08:30", "18 * * * *": "08:30" }),
      ...(api === BATCH && {
        annotations: {
          ...several(api, [HOURLY, { schedule: "19 * * * *" }], { "0 * * * *": "08:30", "18 * * * *": "08:30" })
            .annotations,
          "cronjob-controller.dev/on-edit": "None",
        },
      }),
      last: "09:18",
      now: "10:01",
      written: [{ at: "10:00:30", fields: api === BATCH ? ["cronjob-controller.dev/schedules"] : ["schedules"] }],
    }, {
      start: "10:00",
      requeue: "10:19",
      status: { schedule: "0 * * * * since 08:30; 19 * * * * since 10:00:30" },
    }],
    ["what is excluded is excluded of all of them", {
      ...several(api, [HOURLY, QUARTER], seen),
      ...(api === BATCH
        ? {
          annotations: {
            ...several(api, [HOURLY, QUARTER], seen).annotations,
            "cronjob-controller.dev/exclude": '[{"schedule":"*/15 10-12 * * *"}]',
          },
        }
        : {
          spec: { ...several(api, [HOURLY, QUARTER]).spec, exclude: [{ schedule: "*/15 10-12 * * *" }] },
          status: {},
        }),
      last: "09:15",
      now: "10:00",
    }, { requeue: "13:00" }],
    ["@every counts from when its entry was first seen", {
      ...several(api, [HOURLY, { schedule: "@every 7m" }], { "0 * * * *": "08:30", "@every 7m": "08:41" }),
      last: "09:00",
      now: "09:02",
    }, { start: "09:02", requeue: "09:09" }],
    ["@every that stands twice counts from when each of its entries was first seen", {
      ...several(api, [{ schedule: "@every 7m" }, { schedule: "@every 7m" }], [
        ["@every 7m", "08:41"],
        ["@every 7m", "08:44"],
      ]),
      last: "09:02",
      now: "09:05",
    }, { start: "09:05", requeue: "09:09" }],
  ];
};

table("decide() follows several schedules, in the tutorial's flavour", TUTORIAL, rows(TUTORIAL).map(quiet));
table("decide() follows several schedules, in Kubernetes' flavour", BATCH, rows(BATCH).map(quiet));

table("decide() counts the times of each schedule from an edit that this process saw", BATCH, [
  ["exclusions that are gone: nothing starts that came due before", {
    ...several(BATCH, [HOURLY, QUARTER], { "0 * * * *": "08:30", "15 9,11 * * *": "08:30" }),
    last: "09:00",
    now: "09:50",
    memory: { editedAt: "09:40" },
  }, { requeue: "10:00", status: { schedule: "0 * * * * since 09:40; 15 9,11 * * * since 09:40" } }],
]);

/** Which Events a Job that is found gives is the subject of other tables. */
function quiet([sentence, given, then]: Row): Row {
  return [sentence, { ...given, jobs: given.jobs?.map((job) => ({ ...job, listed: true })) }, then];
}

test("A Job knows which of several schedules asked for it: the first in the list that has its time", () => {
  for (const api of FLAVOURS) {
    for (const [now, last, name] of [["10:00", "09:15", "hourly"], ["09:15", "09:00", "quarter"]] as const) {
      const given = several(api, [HOURLY, QUARTER, { schedule: "* * * * *", name: "always" }].slice(0, 2), {
        "0 * * * *": "08:30",
        "15 9,11 * * *": "08:30",
      });
      const exposing = api === BATCH
        ? { annotations: { ...given.annotations, "cronjob-controller.dev/expose-schedule": "true" } }
        : { spec: { ...given.spec, exposeSchedule: true } };
      const input = world(api, { ...given, ...exposing, now, last });
      const plan = decide(input);
      if (plan.kind !== "start") throw new Error("Nothing starts");
      const { env } = must(jobFor(input.cronJob, plan.request).spec!.template.spec!.containers[0]);
      assertEquals(env?.find((variable) => variable.name === "CRON_SCHEDULE_NAME")?.value, name);
    }
  }
});

test("A CronJob with one entry is the same as one with that schedule", () => {
  const one = world(TUTORIAL, { now: "10:00", last: "09:00", ...several(TUTORIAL, [HOURLY]) });
  const plain = world(TUTORIAL, { now: "10:00", last: "09:00" });
  const told = (input: DecisionInput) => {
    const plan = decide(input);
    return plan.kind === "start" ? [plan.request, plan.nextInstant] : [];
  };
  assertEquals(told(one), told(plain));
  assertEquals(one.cronJob.settings.schedule, plain.cronJob.settings.schedule);
});

test("A CronJob with one entry in a zone of its own keeps since when that holds", () => {
  const only: ScheduleEntry = { schedule: "0 * * * *", timeZone: "Europe/Berlin" };
  const first = decide(world(TUTORIAL, { now: "08:40", ...several(TUTORIAL, [only]) }));
  if (first.kind !== "settle") throw new Error("Something starts");
  const given = { ...several(TUTORIAL, [only]), last: "08:00", status: { ...first.records.status } };
  const later = decide(world(TUTORIAL, { now: "09:00", ...given }));
  assertEquals(
    later.kind === "start" && later.request.trigger === "Schedule" && formatTime(later.request.scheduledTime),
    "2026-03-10T09:00:00Z",
  );
});

table(
  "decide() follows nothing where an entry of several can't be read, and keeps what it knows of the others",
  BATCH,
  [
    ["a typo in one of them", {
      annotations: {
        "cronjob-controller.dev/schedules": '[{"schedule":"0 * * * *"},{"schedule":"0 25 * * *"}]',
        "cronjob-controller.dev/observed-schedules": '[{"text":"0 * * * *","since":"2026-03-10T08:30:00Z"}]',
      },
      last: "09:00",
      now: "10:00",
    }, { events: ["InvalidAnnotation", "UnparseableSchedule"], requeue: "never" }],
    ["a schedule in place of the list", {
      annotations: { "cronjob-controller.dev/schedules": "0 * * * *" },
      last: "09:00",
      now: "10:00",
    }, { events: ["InvalidAnnotation", "UnparseableSchedule"], requeue: "never" }],
  ],
);

table("decide() goes on after too many missed runs of several schedules when the spec changes", TUTORIAL, [
  ["and stays so", {
    ...several(TUTORIAL, [HOURLY, QUARTER]),
    created: "03-01 00:30",
    last: "03-01 01:00",
    now: "12:00:01",
    generation: 2,
    written: [{ at: "11:59:50", fields: ["schedules"] }],
    status: {
      schedule: {
        text: "0 * * * *; 15 9,11 * * *",
        since: "2026-03-01T00:30:00Z",
        entries: ["0 * * * *", "15 9,11 * * *"].map((text) => ({ text, since: "2026-03-01T00:30:00Z" })),
      },
      observedGeneration: 1,
    },
  }, { start: "12:00", requeue: "13:00", status: { counts: { missed: 246 }, passedOver: ["03-01 01:00-12:00"] } }],
]);

test("Of the missed runs of several schedules the newest start, as many as maxRuns says", () => {
  const texts = ["* * * * *", "*/2 * * * *"];
  const entries = texts.map((text): ObservedEntry => ({ text, since: "2026-02-10T00:00:00Z" }));
  const findings = find(world(TUTORIAL, {
    spec: { schedules: texts.map((schedule) => ({ schedule })), catchUp: { policy: "All", maxRuns: 10_000 } },
    created: "02-10 00:00",
    last: "02-11 00:00",
    now: "03-10 00:00",
    status: { schedule: { text: texts.join("; "), since: must(entries[0]).since, entries }, observedGeneration: 1 },
  }));
  const line = [...timesOf(must(findings.start.schedule), lineOf(findings))];
  assertEquals([line.length, clockOf(must(line[0]))], [10_000, "03-03 01:21"]);
});
