import { assertEquals } from "@std/assert";
import { PAUSE } from "../../src/cronjob/api/annotations.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { decideRecords } from "../../src/cronjob/decide.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { test } from "../support/test.ts";
import { Starting } from "./support/starting.ts";
import { type Row, table } from "./support/table.ts";
import { at, BATCH, type Given, TUTORIAL, world } from "./support/world.ts";

function pausedBy(note: unknown): Pick<Given, "annotations"> {
  return { annotations: { [PAUSE]: typeof note === "string" ? note : JSON.stringify(note) } };
}

function statusOf(type: string, status: "True" | "False", reason: string, since: string): Given["status"] {
  const conditions = [
    { type: "ScheduleValid", status: "True", reason: "Valid", since: "06:30" } as const,
    { type, status, reason, since },
  ];
  return {
    conditions: conditions.map(({ since, ...one }) => ({
      ...one,
      message: "",
      lastTransitionTime: formatTime(at(since)),
    })),
  };
}

const UNTIL_NOON = { id: "cli-1", by: "ana", reason: "migration", until: "2026-03-10T12:00:00Z" };
const ENDED = { ...UNTIL_NOON, until: "2026-03-10T09:30:00Z", resumedBy: "ben" };

/** Everything up to 09:00 can start no more. */
const TOO_LATE: Given = { created: "06:30", last: "07:00", now: "09:40", spec: { startingDeadlineSeconds: 60 } };

const paused = { conditions: { Ready: "Paused" } };

for (const api of FLAVOURS) {
  const none = api.extrasIn === "spec"
    ? { spec: { onResume: "None" as const } }
    : { annotations: { "cronjob-controller.dev/on-resume": "None" } };
  const dropping = (note: unknown): Given => ({
    ...none,
    annotations: { ...none.annotations, ...pausedBy(note).annotations },
    created: "07:30",
    last: "08:00",
    now: "09:40",
  });
  table(`decide() heeds the annotation that pauses (${api.controllerName})`, api, [
    ["nothing starts before its end", { ...pausedBy(UNTIL_NOON), now: "09:00" }, {
      requeue: "12:00",
      ...paused,
      status: { nextScheduleTime: undefined },
    }],
    ["without an end it lasts until a user ends it", { ...pausedBy({ by: "ana" }), now: "09:00" }, {
      requeue: "never",
      ...paused,
    }],
    ["an empty one is one too", { ...pausedBy({}), now: "09:00" }, { requeue: "never", ...paused }],
    [
      "what a person asks for starts all the same",
      {
        annotations: { ...pausedBy(UNTIL_NOON).annotations, "cronjob-controller.dev/trigger": "now" },
        now: "09:00",
      },
      { start: "trigger now", requeue: "12:00", ...paused, status: { nextScheduleTime: undefined } },
    ],
    ["one that has ended holds nothing back: the latest of what came due starts", {
      ...pausedBy(ENDED),
      created: "06:30",
      last: "07:00",
      now: "09:40",
    }, { start: "09:00", requeue: "10:00", status: { passedOver: ["07:00-09:00"] } }],
    ["what came due in it, and can start no more at its end, was not missed", { ...pausedBy(ENDED), ...TOO_LATE }, {
      requeue: "10:00",
    }],
    ["nor was what came due while it was suspended", {
      ...TOO_LATE,
      written: [{ at: "09:20", fields: ["suspend", "cronjob-controller.dev/suspend"] }],
    }, { requeue: "10:00" }],
    ["with onResume None what came due before its end is dropped", dropping(ENDED), { requeue: "10:00" }],
    ["the same when it is not known any more that it was paused: what came due after its end starts", {
      ...dropping(ENDED),
      now: "10:00",
    }, { start: "10:00", requeue: "11:00" }],
    ["one that only says whose spec.suspend is holds nothing back by itself", {
      ...pausedBy({ ...UNTIL_NOON, suspends: true }),
      now: "09:00",
    }, { start: "09:00", requeue: "10:00" }],
    ...["yes", "[]", '{"until":"noon"}', '{"until":12}', '{"by":1}'].map((text): Row => [
      `${text} cannot be read: nothing starts, and that is said`,
      { ...pausedBy(text), now: "09:00" },
      { requeue: "never", events: ["InvalidAnnotation"], ...paused },
    ]),
  ]);
}

table("decide() says in the status who paused it", TUTORIAL, [
  ["with the reason", { ...pausedBy(UNTIL_NOON), now: "09:00" }, {
    conditions: { Ready: "Paused" },
    requeue: "12:00",
    status: { nextScheduleTime: undefined },
  }],
  ["of two pauses the longer one counts", {
    ...pausedBy(UNTIL_NOON),
    spec: { pause: { until: "2026-03-10T11:00:00Z" } },
    now: "09:00",
  }, { requeue: "12:00", status: { nextScheduleTime: undefined }, conditions: { Ready: "Paused" } }],
  ["of two pauses the longer one counts, whichever it is", {
    ...pausedBy(UNTIL_NOON),
    spec: { pause: {} },
    now: "09:00",
  }, { requeue: "never", conditions: { Ready: "Paused" } }],
]);

const missed = { events: ["MissSchedule"], conditions: { Overdue: "MissSchedule" }, requeue: "10:00" };

table("decide() knows by the status until when nothing was to start, though the field that said so is gone", TUTORIAL, [
  ["it was suspended or paused until just now", { ...TOO_LATE, status: statusOf("Ready", "True", "Paused", "07:30") }, {
    requeue: "10:00",
  }],
  ["it was until 09:20", { ...TOO_LATE, status: statusOf("Suspended", "False", "NotRequested", "09:20") }, {
    requeue: "10:00",
  }],
  ["a Job is refused since: the time before it came due meanwhile", {
    created: "06:30",
    last: "07:00",
    now: "09:40",
    refusal: { jobName: `report-${at("09:00") / 1000}`, message: "exceeded quota" },
    status: statusOf("Suspended", "False", "NotRequested", "09:20"),
  }, { requeue: "10:00", refused: ["09:00"], conditions: { Overdue: "FailedCreate" } }],
  ["it was until 08:20: what came due since is missed", {
    ...TOO_LATE,
    status: statusOf("Suspended", "False", "NotRequested", "08:20"),
  }, { ...missed, status: { counts: { missed: 1 }, recentRuns: ["09:00 Missed MissSchedule"] } }],
  ["what is on record as missed stays so", {
    ...TOO_LATE,
    status: {
      ...statusOf("Suspended", "False", "NotRequested", "09:20"),
      recentRuns: [{ scheduledTime: "2026-03-10T09:00:00Z", trigger: "Schedule", outcome: "Missed" }],
    },
  }, { requeue: "10:00", conditions: missed.conditions }],
]);

table("decide() heeds the annotation that pauses an adopted CronJob", BATCH, [
  ["as any other", {
    annotations: { ...pausedBy(UNTIL_NOON).annotations, "cronjob-controller.dev/managed": "true" },
    spec: { suspend: true },
    now: "09:00",
  }, { requeue: "12:00" }],
]);

for (const api of FLAVOURS) {
  const onResume = api.extrasIn === "spec"
    ? { spec: { onResume: "None" as const } }
    : { annotations: { "cronjob-controller.dev/on-resume": "None" } };

  test(`what came due in a pause is dropped by onResume None, also where the annotation is taken away (${api.controllerName})`, async () => {
    const s = new Starting({ flavour: api, ...onResume });
    await s.live("10:02:00");
    s.edit({ metadata: { annotations: { [PAUSE]: "{}" } } });
    await s.live("10:04:30", 30_000);
    assertEquals(s.slots(), ["10:01", "10:02"]);
    s.edit({ metadata: { annotations: { [PAUSE]: null } } });
    await s.live("10:05:00", 10_000);
    assertEquals(s.slots(), ["10:01", "10:02", "10:05"]);
  });

  test(`what came due in a pause that has ended does not count as missed (${api.controllerName})`, () => {
    const given: Given = { ...pausedBy(ENDED), created: "05:30", last: "06:00", now: "10:00" };
    assertEquals(decideRecords(world(api, { ...given, jobs: [{ time: "10:00" }] })).report.passedOver, 0);
    const unpaused = { ...given, annotations: undefined, jobs: [{ time: "10:00" }] };
    assertEquals(decideRecords(world(api, unpaused)).report.passedOver, 3);
  });
}
