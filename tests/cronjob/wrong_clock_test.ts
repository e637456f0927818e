// What becomes of runs when the clock was ahead for a while, of a last schedule time that lies in the future, and of what
// others write on Jobs.
import { assert, assertEquals } from "@std/assert";
import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { hasCome } from "../../src/cronjob/api/job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { atLeast, must } from "../support/expected.ts";
import { type Row, table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { Starting, type StartingGiven } from "./support/starting.ts";

/** What differs between two lives of the same clock. */
interface Life {
  readonly flavour: Flavour;
  readonly serverIsRight: boolean;
  readonly restarts: boolean;
}

const LIVES = [
  { flavour: BATCH, serverIsRight: false, restarts: false },
  { flavour: BATCH, serverIsRight: false, restarts: true },
  { flavour: BATCH, serverIsRight: true, restarts: true },
  { flavour: TUTORIAL, serverIsRight: true, restarts: false },
  { flavour: TUTORIAL, serverIsRight: true, restarts: true },
].map(({ flavour, serverIsRight, restarts }): Row<[Life]> => {
  const clocks = serverIsRight ? "the controller's clock alone" : "the server's clock too";
  const sentence = `${flavour.controllerName}, ${clocks}${restarts ? ", and the process dies" : ""}`;
  return [sentence, { flavour, serverIsRight, restarts }];
});

const IN_EACH_FLAVOUR = FLAVOURS.map((flavour): Row<[Flavour]> => [flavour.controllerName, flavour]);

/** An hour ahead for eight seconds, from 10:00:30 on, as a CronJob that has run at 10:00 lives through it. */
async function hourAhead({ restarts, ...given }: Life & StartingGiven): Promise<Starting> {
  const starting = new Starting({ created: "09:59", armed: "10:00", ...given });
  await starting.comeToRest();
  starting.set("10:00:30");
  await starting.comeToRest();
  starting.setClock("11:00:30");
  await starting.fire();
  await starting.comeToRest();
  starting.set("11:00:38");
  await starting.comeToRest();
  starting.finishAll();
  await starting.comeToRest();
  starting.removeJobs();
  await starting.comeToRest();
  starting.setClock("10:00:38");
  if (restarts) starting.boot();
  await starting.comeToRest();
  return starting;
}

const minutes = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => clock(from + i));
const clock = (minute: number) => `${10 + Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;
const limits = { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 };

table(
  "A clock that was an hour ahead holds no minute back, and none runs twice, though no Job is left",
  LIVES,
  async (life) => {
    const starting = await hourAhead({ ...life, spec: { ...limits, startingDeadlineSeconds: 3_600 } });
    assertEquals(starting.slots(), ["10:00", "11:00"]);
    await starting.live("10:30");
    starting.removeJobs();
    if (life.restarts) starting.boot();
    await starting.live("11:03");
    assertEquals(starting.slots(), ["10:00", "11:00", ...minutes(1, 59), ...minutes(61, 63)]);
  },
);

table(
  "What catchUp All started ahead of time does not start again, and what comes after it does",
  LIVES,
  async (life) => {
    const starting = await hourAhead({
      ...life,
      spec: { ...limits, ...life.flavour.extrasIn === "spec" && { catchUp: { policy: "All", maxParallel: 100 } } },
      annotations: { "cronjob-controller.dev/catch-up": '{"policy":"All","maxParallel":100}' },
    });
    const ahead = ["10:00", "11:00", ...minutes(1, 59)];
    assertEquals(starting.slots(), ahead);
    await starting.live("11:02");
    assertEquals(starting.slots(), [...ahead, "11:01", "11:02"]);
  },
);

table("What was started while the clock was ahead for long goes on where that ended", LIVES, async (life) => {
  const starting = await hourAhead(life);
  starting.setClock("11:00:38");
  await starting.live("11:20");
  starting.removeJobs();
  starting.setClock("10:20:10");
  if (life.restarts) starting.boot();
  await starting.comeToRest();
  await starting.live("11:23");
  const expected = ["10:00", "11:00", ...minutes(61, 80), ...minutes(20, 59), ...minutes(81, 83)];
  assertEquals(starting.slots(), expected);
});

table("An @every that a clock too far ahead has stopped goes on, and counts only what it really missed", [
  ["with the same process", false],
  ["with a new process", true],
], async (restarts) => {
  const starting = new Starting({ flavour: TUTORIAL, spec: { schedule: "@every 10s" } });
  await starting.comeToRest();
  starting.setClock("11:00:38");
  await starting.fire();
  await starting.comeToRest();
  assertEquals(condition(starting.cronJob, "Ready"), "False TooManyMissedTimes");
  starting.setClock("10:01:08");
  if (restarts) starting.boot();
  await starting.comeToRest();
  assertEquals(condition(starting.cronJob, "Ready"), "True Scheduled");
  assertEquals(starting.slots(), ["10:00:30", "10:01"]);
  assertEquals(starting.cronJob.status?.counts?.missed, 4);
  await starting.live("10:01:20", 10_000);
  assertEquals(starting.slots(), ["10:00:30", "10:01", "10:01:10", "10:01:20"]);
});

table(
  "A last schedule time in the future is reported by an Event, and by a condition until it has come",
  LIVES,
  async (life) => {
    const starting = await hourAhead(life);
    const told = () => starting.events.filter((text) => text.startsWith("LastScheduleTimeInFuture"));
    assertEquals(told().length, 1);
    assert(must(told()[0]).includes("Runs up to 2026-03-10T11:00:00Z were started before their time"), told()[0]);
    const isOpen = life.flavour.openStatus;
    assertEquals(condition(starting.cronJob, "RanAhead"), isOpen ? "True LastScheduleTimeInFuture" : undefined);
    await starting.live("11:01");
    assertEquals(condition(starting.cronJob, "RanAhead"), isOpen ? "False OnTime" : undefined);
    assertEquals(told().length, life.restarts ? told().length : 1);
  },
);

table(
  "A last schedule time that was never run is set back to what the schedule had reached",
  FLAVOURS.flatMap((flavour): Row<[Flavour, created: string, reached: string | undefined, slots: string[]]>[] => [
    [flavour.controllerName, flavour, "09:59", "2026-03-10T10:01:00Z", ["10:00", "10:02", "10:03"]],
    [`${flavour.controllerName}, nothing yet`, flavour, "10:01:05", undefined, ["10:02", "10:03"]],
  ]),
  async (flavour, created, reached, slots) => {
    const starting = new Starting({ flavour, created, armed: "10:00:30" });
    await starting.comeToRest();
    starting.set("10:01:10");
    const { cronJob, server } = starting;
    const entry = { manager: "kubectl-edit", operation: "Update" as const, subresource: "status" };
    server.put("cronjobs", {
      ...cronJob,
      metadata: {
        ...cronJob.metadata,
        managedFields: [{
          ...entry,
          time: "2026-03-10T10:01:10Z",
          fieldsV1: { "f:status": { "f:lastScheduleTime": {} } },
        }],
      },
      status: { ...cronJob.status, lastScheduleTime: "2031-01-01T00:00:00Z" },
    });
    starting.boot();
    starting.set("10:01:20");
    await starting.comeToRest();
    assertEquals(starting.cronJob.status?.lastScheduleTime, reached);
    assert(starting.events.some((text) => text.startsWith("LastScheduleTimeInFuture: status.lastScheduleTime 2031")));
    await starting.live("10:03");
    assertEquals(starting.slots(), slots);
  },
);

table("A Job's annotations say nothing that its name does not bear out", IN_EACH_FLAVOUR, async (flavour) => {
  const starting = new Starting({ flavour, created: "09:59", armed: "10:00:30" });
  await starting.comeToRest();
  annotate(starting, flavour, "2031-01-01T00:00:00Z");
  await starting.comeToRest();
  assertEquals(starting.cronJob.status?.lastScheduleTime, "2026-03-10T10:00:00Z");
  starting.finishAll();
  starting.boot();
  await starting.live("10:02");
  assertEquals(starting.slots(), ["10:00", "10:01", "10:02"]);
  assertEquals(starting.cronJob.status?.lastScheduleTime, "2026-03-10T10:02:00Z");
  if (flavour.openStatus) assertEquals(starting.cronJob.status?.counts?.succeeded, 1);
});

table(
  "A Job that is named for a time far ahead of its creation occupies that name, and moves nothing else",
  IN_EACH_FLAVOUR,
  async (flavour) => {
    const starting = new Starting({ flavour, created: "09:59", armed: "10:00:30" });
    await starting.comeToRest();
    const [job] = atLeast(1, starting.server.jobs.values());
    const time = "2031-01-01T00:00:00Z";
    starting.server.put("jobs", {
      ...job,
      metadata: {
        ...job.metadata,
        name: `c-${Date.parse(time) / 1000 / flavour.nameUnitSeconds}`,
        uid: "forged",
        annotations: { [flavour.scheduledTimeAnnotation]: time },
      },
    });
    await starting.comeToRest();
    await starting.live("10:02");
    starting.boot();
    await starting.live("10:03");
    assertEquals(starting.slots(), ["10:00", "10:01", "10:02", "10:03"]);
    assertEquals(starting.cronJob.status?.lastScheduleTime, "2026-03-10T10:03:00Z");
  },
);

table(
  "Clocks that differ by 30 s change nothing: each time starts once, whichever replica leads",
  FLAVOURS.flatMap((flavour): Row<[Flavour, isAhead: boolean]>[] => [
    [`${flavour.controllerName}, ahead of the server`, flavour, true],
    [`${flavour.controllerName}, behind the server`, flavour, false],
  ]),
  async (flavour, isAhead) => {
    const starting = new Starting({ flavour, created: "09:59", armed: "10:00:20", serverIsRight: true });
    starting.setClock(isAhead ? "10:00:50" : "09:59:50");
    await starting.comeToRest();
    await starting.live("10:02");
    // The next leader's clock is right.
    starting.setClock(isAhead ? "10:01:30" : "10:02:30");
    starting.boot();
    await starting.live("10:04");
    assertEquals(starting.slots(), ["10:00", "10:01", "10:02", "10:03", "10:04"]);
    assertEquals(starting.cronJob.status?.lastScheduleTime, "2026-03-10T10:04:00Z");
  },
);

test("A time counts as come by a clock that is a minute behind, and by none that is further behind", () => {
  const time = Date.parse("2026-03-10T10:00:00Z");
  assertEquals([60_000, 60_001].map((behindMs) => hasCome(time, time - behindMs)), [true, false]);
});

test("What does not fit into the record counts as started: nothing starts twice", async () => {
  const starting = new Starting({
    flavour: TUTORIAL,
    created: "09:59",
    spec: { ...limits, startingDeadlineSeconds: 3_600 },
  });
  await starting.comeToRest();
  // Each outage passes over one minute more than the one before.
  for (let outage = 1, at = 2; outage <= 12; at += outage + 2, outage++) {
    starting.set(clock(at + outage));
    starting.boot();
    await starting.comeToRest();
  }
  assertEquals(starting.cronJob.status?.passedOver?.length, 10);
  starting.setClock("10:00:50");
  starting.boot();
  await starting.live("12:00");
  const slots = starting.slots();
  assertEquals(slots.length, new Set(slots).size);
  const lost = minutes(1, 119).filter((minute) => !slots.includes(minute));
  // The two shortest stretches.
  assertEquals(lost, [...minutes(1, 2), ...minutes(4, 6)]);
});

test("What is refused after a clock was set back is recorded, though all that is recorded is still to come", async () => {
  const starting = new Starting({ flavour: TUTORIAL, created: "09:59", spec: { concurrencyPolicy: "Forbid" } });
  await starting.comeToRest();
  starting.setClock("11:00:30");
  await starting.live("11:12:30");
  const recorded = () => starting.cronJob.status?.recentRuns?.map(({ scheduledTime }) => scheduledTime?.slice(11, 16));
  const skipped = () => starting.cronJob.status?.counts?.skipped;
  assertEquals([recorded()?.at(-1), recorded()?.length, skipped()], ["11:03", 10, 11]);
  starting.setClock("10:12:30");
  await starting.comeToRest();
  assertEquals([recorded()?.[0], skipped()], ["10:12", 12]);
  await starting.live("10:14");
  assertEquals([recorded()?.slice(0, 3), skipped()], [["10:14", "10:13", "10:12"], 14]);
});

function condition({ status }: CronJobObject, type: string): string | undefined {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}`;
}

function annotate({ server }: Starting, { scheduledTimeAnnotation }: Flavour, time: string): void {
  for (const job of [...server.jobs.values()]) {
    server.put("jobs", { ...job, metadata: { ...job.metadata, annotations: { [scheduledTimeAnnotation]: time } } });
  }
}
