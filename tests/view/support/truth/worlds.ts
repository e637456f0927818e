import * as fc from "fast-check";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../../../src/cronjob/api/flavour.ts";
import { type EpochMs, formatTime } from "../../../../src/base/epoch_ms.ts";
import { inPlight } from "./plights.ts";
import type { Happening, Incident, World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A day as any other, and hours before and after clock changes in Berlin. */
const DAYS = [
  "2026-03-10T12:00:00Z",
  "2026-03-28T22:00:00Z",
  "2026-03-29T04:00:00Z",
  "2026-10-24T22:00:00Z",
  "2026-10-25T05:00:00Z",
].map((day) => Date.parse(day));

const ENTRIES = [
  "30 2 * * *",
  "0 3 * * *",
  "*/20 * * * *",
  "15 1-3 * * *",
  "30 */2 * * *",
  "5 * * * *",
  "45 1,2 * * *",
];

const SCHEDULES = [
  "*/15 * * * *",
  "*/20 * * * *",
  "7 * * * *",
  "0,5,30 * * * *",
  "30 */2 * * *",
  "30 2 * * *",
  "@hourly",
];

const PREFIX = "cronjob-controller.dev";

/** An exclusion that is on; it is in whole minutes. */
function hoursAbout(asksAt: EpochMs) {
  const minute = Math.floor(asksAt / MINUTE) * MINUTE;
  return [{ from: formatTime(minute - 2 * HOUR), to: formatTime(minute + 2 * HOUR) }];
}

/** What people write for this controller, good and bad, whether it reads it or not. */
function annotated(asksAt: EpochMs): fc.Arbitrary<readonly [string, string]> {
  const later = formatTime(asksAt + 2 * HOUR + 12 * MINUTE);
  return fc.constantFrom(
    ["pause", '{"reason":"x"}'],
    ["pause", JSON.stringify({ until: later, reason: "x" })],
    ["pause", "{"],
    ["schedule", "*/10 * * * *"],
    ["schedule", "0 5 L * *"],
    ["schedule", "0 25 * * *"],
    ["exclude", JSON.stringify(hoursAbout(asksAt))],
    ["exclude", '[{"dates":["2026-13-01"]}]'],
    ["schedules", '[{"schedule":"*/25 * * * *"}]'],
    ["schedules", "[]"],
    ["catch-up", "all"],
    ["catch-up", "None"],
    ["catch-up", "All"],
    ["suspend", "true"],
    ["pending-timeout-seconds", "15m"],
    ["managed", "True"],
    ["managed", "false"],
  ).map(([name, text]) => [`${PREFIX}/${name}`, text!] as const);
}

/** Which kinds of worlds there are. */
const KINDS: readonly (readonly [Flavour, World["controllers"]])[] = [
  [BATCH, "kubernetes"],
  [BATCH, "beside"],
  [BATCH, "beside"],
  [BATCH, "ours"],
  [BATCH, "trial"],
  [BATCH, "standalone"],
  [PRODUCTION, "standalone"],
  [PRODUCTION, "beside"],
  [TUTORIAL, "ours"],
];

const crontabs: fc.Arbitrary<World> = fc.record({
  flavour: fc.constant(PRODUCTION),
  controllers: fc.constant("standalone" as const),
  entry: fc.constantFrom(...ENTRIES),
  spec: fc.constant({}),
  annotations: fc.constant({}),
  lifeMinutes: fc.integer({ min: 20, max: 14 * 60 }),
  asksAt: fc.tuple(fc.constantFrom(...DAYS), fc.nat(3_600)).map(([day, offset]) => day + offset * 1_000),
  durationSeconds: fc.constant(20),
  failsEvery: fc.constantFrom(0, 3),
  incidents: fc.constant([]),
  picks: fc.array(fc.nat(1_000), { minLength: 3, maxLength: 3 }),
}).map(({ lifeMinutes, ...world }) => ({ ...world, createdAt: world.asksAt - lifeMinutes * MINUTE }));

const shared: fc.Arbitrary<World> = fc.tuple(fc.constantFrom(...KINDS), fc.constantFrom(...DAYS), fc.nat(3_600))
  .chain(([[flavour, controllers], day, offset]) => worldsOf(flavour, controllers, day + offset * 1_000))
  .chain((world) => fc.nat(7).map((number) => number === 0 ? inPlight(world) : world)).map(asCanBe).filter(isKnowable);

export const worlds: fc.Arbitrary<World> = fc.oneof({ weight: 9, arbitrary: shared }, {
  weight: 1,
  arbitrary: crontabs,
});

/** Where the one that runs all of `batch/v1` is away, kube-controller-manager may run it, for all that can be known. */
function isKnowable({ flavour, controllers, incidents }: World): boolean {
  const away = incidents.filter((one) => one.do === "outage" && one.seconds === undefined) as readonly {
    who: string;
  }[];
  return !flavour.adoptable || !away.some(({ who }) => who === "kubernetes" || controllers === "ours");
}

/**
 * Where the program is all there is, no one can ask while it is away, or change anything. Elsewhere an outage that lasts when
 * someone asks lasts on, as nothing else is to change.
 */
function asCanBe(world: World): World {
  const { controllers, asksAt } = world;
  let backAt = -Infinity;
  const incidents = world.incidents.flatMap((incident): Incident[] => {
    if (incident.at < backAt) return [];
    if (incident.do !== "outage") return [incident];
    const leftSeconds = Math.floor((asksAt - incident.at) / 1_000);
    const isOver = (incident.seconds ?? Infinity) <= leftSeconds;
    if (controllers !== "standalone") {
      // For as long as a Lease lasts no one can know that its holder is gone.
      const isGivenBack = incident.isGivenBack || leftSeconds < 60;
      return [{ ...incident, isGivenBack, seconds: isOver ? incident.seconds : undefined }];
    }
    const seconds = isOver ? incident.seconds! : leftSeconds;
    backAt = incident.at + seconds * 1_000;
    return [{ ...incident, seconds }];
  });
  return { ...world, incidents };
}

function worldsOf(flavour: Flavour, controllers: World["controllers"], asksAt: EpochMs): fc.Arbitrary<World> {
  const isBatch = flavour.adoptable;
  const lifeMs = fc.integer({ min: 20, max: 14 * 60 }).map((minutes) => minutes * MINUTE + 13_000);
  const spec = fc.record({
    schedule: fc.constantFrom(...SCHEDULES),
    timeZone: fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata"),
    concurrencyPolicy: fc.constantFrom("Allow" as const, "Forbid" as const, "Replace" as const),
    startingDeadlineSeconds: fc.constantFrom(60, 600, 3_600),
    suspend: fc.constantFrom(false, false, true),
    successfulJobsHistoryLimit: fc.nat(3),
    failedJobsHistoryLimit: fc.nat(2),
  }, { requiredKeys: ["schedule", "concurrencyPolicy"] });
  const extra = fc.record({
    concurrencyPolicy: fc.constant("Queue" as const),
    pause: fc.constantFrom({ reason: "x" }, { reason: "x", until: formatTime(asksAt + 2 * HOUR) }),
    exclude: fc.constant(hoursAbout(asksAt)),
    maxConcurrentRuns: fc.integer({ min: 1, max: 2 }),
    startTime: fc.constantFrom(formatTime(asksAt - HOUR), formatTime(asksAt + HOUR)),
    endTime: fc.constantFrom(formatTime(asksAt - HOUR), formatTime(asksAt + HOUR)),
    pauseAfterFailures: fc.constant(2),
    catchUp: fc.constantFrom({ policy: "All" as const }, { policy: "None" as const }),
  }, { requiredKeys: [] });
  const one = annotated(asksAt);
  return lifeMs.chain((lifeMs) => {
    const createdAt = asksAt - lifeMs;
    const trialEnds = {
      at: createdAt + Math.floor(lifeMs / 3),
      do: "outage",
      who: "ours",
      seconds: undefined,
    } as const;
    const always: readonly Incident[] = controllers === "trial" ? [{ ...trialEnds, isGivenBack: true }] : [];
    return fc.record({
      flavour: fc.constant(flavour),
      controllers: fc.constant(controllers),
      spec: fc.tuple(spec, isBatch ? fc.constant({}) : sparse(extra)).map(([one, more]) => ({ ...one, ...more })),
      annotations: isBatch
        ? fc.oneof(fc.constant([]), fc.array(one, { maxLength: 2 })).map((list) => Object.fromEntries(list))
        : fc.constant({}),
      createdAt: fc.constant(createdAt),
      asksAt: fc.constant(asksAt),
      durationSeconds: fc.constantFrom(20, 240, 1_000, 4_000),
      failsEvery: fc.constantFrom(0, 0, 2, 3),
      incidents: fc.array(incidentsOf({ flavour, controllers, lifeMs, asksAt, one }), { maxLength: 4 })
        .map((list) => [...list, ...always].toSorted((a, b) => a.at - b.at)),
      picks: fc.array(fc.nat(1_000), { minLength: 3, maxLength: 3 }),
    });
  });
}

/** Few of the fields at a time. */
function sparse<T extends object>(all: fc.Arbitrary<T>): fc.Arbitrary<Partial<T>> {
  return fc.tuple(all, fc.array(fc.nat(9), { maxLength: 3 })).map(([one, kept]) =>
    Object.fromEntries(Object.entries(one).filter((_, i) => kept.includes(i))) as Partial<T>
  );
}

interface Surroundings extends Pick<World, "flavour" | "controllers" | "asksAt"> {
  readonly lifeMs: number;
  readonly one: fc.Arbitrary<readonly [string, string]>;
}

function incidentsOf({ flavour, controllers, lifeMs, asksAt, one }: Surroundings): fc.Arbitrary<Incident> {
  const who = fc.constantFrom<("ours" | "kubernetes")[]>(
    ...flavour.adoptable && controllers !== "ours" && controllers !== "standalone" ? ["kubernetes" as const] : [],
    ...controllers === "kubernetes" || controllers === "trial" ? [] : ["ours" as const],
  );
  const outage = fc.record({
    do: fc.constant("outage" as const),
    who,
    seconds: fc.oneof(
      fc.integer({ min: 60, max: 3 * 3_600 }),
      fc.constant(undefined),
    ),
    isGivenBack: fc.boolean(),
  });
  const happenings: fc.Arbitrary<Happening>[] = [
    fc.record({
      do: fc.constant("edit" as const),
      spec: fc.oneof(
        fc.record({ suspend: fc.boolean() }),
        fc.record({ schedule: fc.constantFrom(...SCHEDULES) }),
      ),
    }),
    fc.record({
      do: fc.constant("pause" as const),
      until: fc.constantFrom(undefined, asksAt + HOUR, asksAt - 30 * MINUTE),
    }),
    fc.constant({ do: "resume" as const }),
    outage,
  ];
  if (flavour.adoptable) {
    happenings.push(
      one.map(([name, text]) => ({ do: "annotate" as const, annotations: { [name]: text } })),
      ...controllers === "beside"
        ? [
          fc.constant({ do: "adopt" as const }),
          fc.constant({ do: "adopt" as const }),
          fc.constant({ do: "release" as const }),
        ]
        : [],
    );
  }
  return fc.tuple(fc.oneof(...happenings), fc.integer({ min: 1, max: Math.floor(lifeMs / 1_000) - 1 }))
    .map(([happening, secondsBefore]) => ({ ...happening, at: asksAt - secondsBefore * 1_000 } as Incident));
}
