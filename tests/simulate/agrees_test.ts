import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { simulate } from "../../src/simulate/simulator.ts";
import { at, world } from "../cronjob/support/world.ts";
import { type Row, table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { agreementTests } from "./support/agreement.ts";
import { lived } from "./support/compare.ts";
import type { World } from "./support/worlds.ts";

agreementTests({ runs: 60 });

const EVERY_THIRD_MINUTE = [{ schedule: "*/3 * * * *" }];
const YOUNG = { annotations: {}, durationMs: 1_000, downMs: 0, edit: undefined, isTriggered: false };

/** From a run at the end of an excluded stretch on an interval counts anew. */
const SHIFTED: readonly { readonly world: World; readonly starts: readonly string[] }[] = [
  {
    world: {
      ...YOUNG,
      flavour: TUTORIAL,
      spec: { schedule: "@every 7s", exclude: EVERY_THIRD_MINUTE, onExcluded: "RunAfter" },
      createdAt: Date.parse("2026-03-10T09:03:20Z"),
      lifeMs: 6_000,
      spanMs: 60_000,
    },
    starts: ["09:04:00", "09:04:07", "09:04:14", "09:04:21"],
  },
  {
    world: {
      ...YOUNG,
      flavour: BATCH,
      spec: { schedule: "@every 20s" },
      annotations: {
        "cronjob-controller.dev/exclude": JSON.stringify(EVERY_THIRD_MINUTE),
        "cronjob-controller.dev/on-excluded": "RunAfter",
      },
      createdAt: Date.parse("2026-03-29T00:12:07Z"),
      lifeMs: 20_000,
      spanMs: 100_000,
    },
    starts: ["00:13:00", "00:14:00"],
  },
];

test("a run at the end of an excluded stretch moves an interval in simulations as in the controller", async () => {
  for (const { world, starts } of SHIFTED) {
    const { done, simulated } = await lived(world);
    assertEquals(simulated, done);
    assertEquals(simulated.starts.map((text) => text.slice(11, 19)), starts);
  }
});

test("a simulation goes on where Jobs end while others wait", async () => {
  const { done, simulated } = await lived({
    ...YOUNG,
    flavour: BATCH,
    spec: { schedule: "@every 45s", concurrencyPolicy: "Allow", startingDeadlineSeconds: 0 },
    createdAt: Date.parse("2026-10-24T23:10:00Z"),
    durationMs: 135_000,
    lifeMs: 382_000,
    edit: { schedule: "@every 45s", concurrencyPolicy: "Replace", startingDeadlineSeconds: 82 },
    spanMs: 202_000,
  });
  assertEquals(simulated, done);
});

test("a simulation says of a run that was held back, and is too late by then, that it was held back", async () => {
  const { done, simulated } = await lived({
    ...YOUNG,
    flavour: BATCH,
    spec: { schedule: "* * * * *", concurrencyPolicy: "Forbid", startingDeadlineSeconds: 20 },
    createdAt: Date.parse("2026-03-10T09:03:20Z"),
    durationMs: 110_000,
    lifeMs: 0,
    spanMs: 240_000,
  });
  assertEquals(simulated, done);
  assertEquals(simulated.refused, ["2026-03-10T09:05:00Z JobAlreadyActive", "2026-03-10T09:07:00Z JobAlreadyActive"]);
});

test("a Job that has been active for longer than runs are said to last goes on for as long again", async () => {
  const { cronJob, jobs } = world(BATCH, {
    created: "04:30",
    now: "09:30",
    last: "05:00",
    jobs: [{ time: "05:00" }],
    spec: { concurrencyPolicy: "Forbid" },
  });
  const span = { from: at("09:30"), to: at("10:45") };
  const { single } = await simulate({ cronJob, jobs, durationMs: 3_600_000 }, span);
  assertEquals(single.map(({ startsAt, endsAt }) => [startsAt, endsAt]), [
    [at("05:00"), at("10:30")],
    [at("10:30"), at("11:30")],
  ]);
});

/** How many runs start, and how many times get none. */
const HELD_BACK: readonly Row<[spec: Partial<CronJobSpec>, starts: number, refused: number, flavour?: Flavour]>[] = [
  ["with Forbid each takes the place of the last", { concurrencyPolicy: "Forbid" }, 2, 197],
  ["with Queue too, and the last waits", { concurrencyPolicy: "Queue" }, 2, 196],
  ["a hundred are not too many", { concurrencyPolicy: "Forbid" }, 2, 197, TUTORIAL],
  ["a line keeps them", { concurrencyPolicy: "Forbid", catchUp: { policy: "All", maxRuns: 3 } }, 2, 194],
  ["none comes after endTime", { concurrencyPolicy: "Forbid", endTime: "2026-03-10T09:04:00Z" }, 2, 118],
  ["a spread moves each", { concurrencyPolicy: "Forbid", spreadSeconds: 60 }, 2, 187],
];

table("times that a long Job holds back agree", HELD_BACK, async (spec, starts, refused, flavour = PRODUCTION) => {
  const { done, simulated } = await lived({
    ...YOUNG,
    flavour,
    spec: { schedule: "@every 2s", ...spec },
    createdAt: Date.parse("2026-03-10T09:00:00Z"),
    durationMs: 251_000,
    lifeMs: 0,
    spanMs: 400_000,
  });
  assertEquals(simulated, done);
  assertEquals([simulated.starts.length, simulated.refused.length], [starts, refused]);
});
