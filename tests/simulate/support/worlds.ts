import * as fc from "fast-check";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";

/** A CronJob, and what happens to it. */
export interface World {
  readonly flavour: Flavour;
  readonly spec: Partial<CronJobSpec>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: EpochMs;
  readonly durationMs: number;
  /** How long a controller has run it before the simulation begins; 0: it is new. */
  readonly lifeMs: number;
  /** How long no controller was there before that. */
  readonly downMs: number;
  /** What an edit changes as the simulation begins. */
  readonly edit: Partial<CronJobSpec> | undefined;
  readonly isTriggered: boolean;
  readonly spanMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** About two clock changes, and a day without one. */
const CREATED = ["2026-03-29T00:10:00Z", "2026-10-24T23:10:00Z", "2026-03-10T09:03:20Z"].map((at) => Date.parse(at));

/** Times of a schedule are about so far apart. */
interface Pace {
  readonly schedules: readonly string[];
  readonly stepMs: number;
  readonly flavours: readonly Flavour[];
}

const PACES: readonly Pace[] = [
  {
    schedules: ["* * * * *", "*/2 * * * *", "1-59/3 * * * *", "@every 2m", "@every 90s", "0,1,30 * * * *"],
    stepMs: MINUTE,
    flavours: [TUTORIAL, PRODUCTION, BATCH],
  },
  {
    schedules: ["*/15 * * * *", "30 2 * * *", "0 * * * *", "5,50 1-4 * * *", "@every 20m", "@hourly", "0 2,3 * * *"],
    stepMs: 20 * MINUTE,
    flavours: [TUTORIAL, PRODUCTION, BATCH],
  },
  { schedules: ["@every 5s", "@every 7s"], stepMs: 6_000, flavours: [TUTORIAL, PRODUCTION] },
  { schedules: ["@every 20s", "@every 45s"], stepMs: 30_000, flavours: [BATCH] },
  { schedules: ["H * * * *", "H/10 * * * *"], stepMs: 20 * MINUTE, flavours: [TUTORIAL, PRODUCTION] },
];

export const worlds: fc.Arbitrary<World> = fc.constantFrom(...PACES).chain((pace) =>
  fc.constantFrom(...pace.flavours).chain((flavour) => worldsOf(flavour, pace))
);

function worldsOf(flavour: Flavour, { schedules, stepMs }: Pace): fc.Arbitrary<World> {
  const schedule = fc.constantFrom(...schedules);
  const timeZone = fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
  const steps = (min: number, max: number) =>
    fc.integer({ min: min * 4, max: max * 4 }).map((n) => Math.floor(n * stepMs / 4_000) * 1_000);
  const second = (ms: number) => Math.max(1, Math.floor(ms / 1_000));
  const secondSteps = (min: number, max: number) => steps(min, max).map((ms) => second(ms));
  return fc.constantFrom(...CREATED).chain((createdAt) => {
    const time = steps(0, 40).map((ms) => formatTime(createdAt + ms));
    const native = fc.record({
      schedule,
      timeZone,
      concurrencyPolicy: fc.constantFrom("Allow" as const, "Forbid" as const, "Replace" as const),
      startingDeadlineSeconds: fc.oneof(secondSteps(0, 3), fc.constant(0)),
      suspend: fc.constantFrom(false, false, true),
      successfulJobsHistoryLimit: fc.nat(2),
      failedJobsHistoryLimit: fc.nat(2),
    }, { requiredKeys: ["schedule"] });
    const exclude = fc.constantFrom<NonNullable<CronJobSpec["exclude"]>>(
      [{ schedule: "*/3 * * * *" }],
      [{ schedule: "0 2 * * *", duration: "90m" }, { dates: ["2026-03-30"] }],
      [{ from: formatTime(createdAt + 3 * stepMs), to: formatTime(createdAt + 12 * stepMs) }],
    );
    const extra = fc.record({
      concurrencyPolicy: fc.constant("Queue" as const),
      schedules: fc.array(fc.record({ schedule, timeZone }, { requiredKeys: ["schedule"] }), {
        minLength: 1,
        maxLength: 3,
      }),
      clockChangePolicy: fc.record({
        gap: fc.constantFrom("Skip" as const, "RunAfter" as const),
        overlap: fc.constantFrom("Both" as const, "First" as const, "Second" as const),
      }),
      catchUp: fc.record({
        policy: fc.constantFrom("Latest" as const, "All" as const, "None" as const),
        windowSeconds: secondSteps(1, 6),
        maxRuns: fc.integer({ min: 1, max: 5 }),
        maxParallel: fc.integer({ min: 1, max: 3 }),
      }, { requiredKeys: ["policy"] }),
      maxConcurrentRuns: fc.integer({ min: 1, max: 4 }),
      pause: fc.record({ until: time, reason: fc.constant("migration") }, { requiredKeys: ["reason"] }),
      onResume: fc.constantFrom("Latest" as const, "None" as const),
      startTime: time,
      endTime: time,
      spreadSeconds: secondSteps(0, 3),
      exclude,
      onExcluded: fc.constantFrom("Skip" as const, "RunAfter" as const),
      pauseAfterFailures: fc.integer({ min: 1, max: 3 }),
    }, { requiredKeys: [] });
    const annotation = fc.record({
      "cronjob-controller.dev/schedule": schedule,
      "cronjob-controller.dev/schedules": fc.array(schedule, { minLength: 1, maxLength: 3 }).map((all) =>
        JSON.stringify(all.map((schedule) => ({ schedule })))
      ),
      "cronjob-controller.dev/on-edit": fc.constantFrom("Latest", "None"),
      "cronjob-controller.dev/on-resume": fc.constantFrom("Latest", "None"),
      "cronjob-controller.dev/catch-up": fc.constantFrom("Latest", "All", "None"),
      "cronjob-controller.dev/spread-seconds": secondSteps(0, 3).map(String),
      "cronjob-controller.dev/exclude": exclude.map((entries) => JSON.stringify(entries)),
      "cronjob-controller.dev/on-excluded": fc.constantFrom("Skip", "RunAfter"),
    }, { requiredKeys: [] });
    const note = fc.record({ until: time, reason: fc.constant("migration") }, { requiredKeys: ["reason"] })
      .map((said) => JSON.stringify({ ...said, since: formatTime(createdAt) }));
    const isOpen = flavour.extrasIn === "spec";
    const few = <T extends object>(all: fc.Arbitrary<T>): fc.Arbitrary<Partial<T>> =>
      fc.tuple(all, fc.array(fc.nat(15), { maxLength: 7 })).map(([one, kept]) => {
        const entries = Object.entries(one);
        return Object.fromEntries(entries.filter((_, i) => kept.includes(i))) as Partial<T>;
      });
    return fc.record({
      flavour: fc.constant(flavour),
      spec: fc.tuple(native, isOpen ? few(extra) : fc.constant({})).map(([one, more]) => ({ ...one, ...more })),
      annotations: fc.tuple(isOpen ? fc.constant({}) : few(annotation), fc.option(note, { freq: 5, nil: undefined }))
        .map(([settings, pause]) => ({ ...settings, ...(pause && { "cronjob-controller.dev/pause": pause }) })),
      createdAt: fc.constant(createdAt),
      durationMs: fc.oneof(secondSteps(0, 1), secondSteps(0, 5), secondSteps(5, 30)).map((seconds) => seconds * 1_000),
      lifeMs: fc.oneof(fc.constant(0), steps(1, 15)),
      downMs: fc.oneof(fc.constant(0), fc.constant(0), steps(1, 5)),
      edit: fc.option(native.map(({ schedule: text, ...rest }) => ({ ...rest, schedule: text })), {
        nil: undefined,
        freq: 3,
      }),
      isTriggered: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      spanMs: steps(5, 40).map((ms) => Math.max(ms, HOUR / 60)),
    });
  });
}
