// Which run starts at an instant, with what was known about it before, what was not delivered yet, and a clock that jumps.
import { assertEquals } from "@std/assert";
import { MANAGED, RELEASING_VALUE, SUSPEND } from "../../src/cronjob/api/annotations.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import type { Job } from "../../src/kube/resource.ts";
import { type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import type { Edit } from "./support/simulated_server.ts";
import { Starting, type StartingGiven } from "./support/starting.ts";

/** What happens after the next run, that of 10:01, was armed at 10:00:30. */
type Step =
  | { at: string; edit: Edit; isDelivered: boolean }
  | { at: string; remove: true }
  /** A timer says that an instant has come. */
  | { fire: string; starts: string[] }
  /** All news arrives and is settled; `slots` is all that has ever started. */
  | { settle: string; slots: string[] };

type Row = readonly [sentence: string, given: StartingGiven, steps: readonly Step[]];

/** The image that the last Job runs. */
const imageOf = ({ spec }: Job) => must(spec!.template.spec!.containers[0]).image;

async function play(given: StartingGiven, steps: readonly Step[]): Promise<Starting> {
  const starting = new Starting(given);
  await starting.comeToRest();
  for (const step of steps) {
    if ("fire" in step) {
      starting.set(step.fire);
      assertEquals(await starting.fire(), step.starts, `Started at ${step.fire}`);
    } else if ("settle" in step) {
      starting.set(step.settle);
      await starting.comeToRest();
      assertEquals(starting.slots(), step.slots, `All that has started by ${step.settle}`);
    } else {
      starting.set(step.at);
      if ("edit" in step) starting.edit(step.edit);
      else starting.remove();
      if ("remove" in step || step.isDelivered) starting.deliverAll();
    }
  }
  return starting;
}

function table(name: string, rows: readonly Row[]): void {
  test(name, async (context) => {
    for (const [sentence, given, steps] of rows) {
      await context.step(sentence, async () => void await play(given, steps));
    }
  });
}

const both = (rowsOf: (flavour: Flavour) => readonly Row[]) =>
  FLAVOURS.flatMap((flavour) =>
    rowsOf(flavour).map(([sentence, given, steps]): Row => [
      `${sentence} (${flavour.controllerName})`,
      { flavour, ...given },
      steps,
    ])
  );

table(
  "A run starts at its instant, once",
  both(() => [
    ["on time", {}, [{ fire: "10:01", starts: ["10:01"] }, { settle: "10:01", slots: ["10:01"] }]],
    ["not twice, if the instant comes twice", {}, [
      { fire: "10:01", starts: ["10:01"] },
      { fire: "10:01:00.010", starts: [] },
      { settle: "10:01:01", slots: ["10:01"] },
    ]],
    ["minute after minute", {}, [
      { fire: "10:01", starts: ["10:01"] },
      { settle: "10:01", slots: ["10:01"] },
      { fire: "10:02", starts: ["10:02"] },
      { settle: "10:02", slots: ["10:01", "10:02"] },
      { fire: "10:03", starts: ["10:03"] },
      { settle: "10:03", slots: ["10:01", "10:02", "10:03"] },
    ]],
    ["also if nothing of the run before has been settled, or heard of", {}, [
      { fire: "10:01", starts: ["10:01"] },
      { fire: "10:02", starts: ["10:02"] },
      { settle: "10:02:30", slots: ["10:01", "10:02"] },
    ]],
    ["not before it, should a timer be early", {}, [
      { fire: "10:00:59.999", starts: [] },
      { fire: "10:01", starts: ["10:01"] },
    ]],
    ["not after its CronJob is gone", {}, [
      { at: "10:00:59.999", remove: true },
      { fire: "10:01", starts: [] },
    ]],
  ]),
);

table("A wall clock that was set decides anew", [
  ["a day ahead: only the latest run starts", {}, [
    { fire: "03-11 10:00:45", starts: ["03-11 10:00"] },
    { settle: "03-11 10:00:46", slots: ["03-11 10:00"] },
    { fire: "03-11 10:01", starts: ["03-11 10:01"] },
  ]],
  ["a day ahead, where too many missed runs stop the schedule: none starts", { flavour: TUTORIAL }, [
    { fire: "03-11 10:00:45", starts: [] },
    { settle: "03-11 10:00:46", slots: [] },
  ]],
  ["a day ahead, with a deadline: only one that is inside it", {
    flavour: TUTORIAL,
    spec: { startingDeadlineSeconds: 20 },
  }, [
    { fire: "03-11 10:00:45", starts: [] },
    { settle: "03-11 10:00:46", slots: [] },
    { fire: "03-11 10:01", starts: ["03-11 10:01"] },
  ]],
  ["a minute ahead: the later run starts, not the armed one", {}, [
    { fire: "10:02", starts: ["10:02"] },
    { settle: "10:02", slots: ["10:02"] },
  ]],
  ["59,999 ms ahead: the armed one starts", {}, [{ fire: "10:01:59.999", starts: ["10:01"] }]],
  ["a day ahead with catchUp All: none of the instant goes before the older ones, which come in order", {
    flavour: TUTORIAL,
    spec: { catchUp: { policy: "All", maxRuns: 3 } },
  }, [
    { fire: "03-11 10:00:45", starts: [] },
    { settle: "03-11 10:00:46", slots: ["03-11 09:58", "03-11 09:59", "03-11 10:00"] },
  ]],
  ["an hour back: nothing starts until its time has come again", {}, [
    { fire: "09:01", starts: [] },
    { settle: "09:01", slots: [] },
    { fire: "10:00", starts: [] },
    { fire: "10:01", starts: ["10:01"] },
  ]],
  ["an hour back after the start: it does not start again", {}, [
    { fire: "10:01", starts: ["10:01"] },
    { settle: "09:01:30", slots: ["10:01"] },
    { fire: "10:01", starts: [] },
    { settle: "10:01:01", slots: ["10:01"] },
    { fire: "10:02", starts: ["10:02"] },
  ]],
]);

/** The edit reaches the server before, or at, the instant of 10:01. */
const AROUND = ["10:00:59", "10:00:59.500", "10:00:59.999", "10:01"] as const;
const SUSPENSION: Edit = { spec: { suspend: true } };
const HOURLY: Edit = { spec: { schedule: "30 * * * *" } };

table(
  "A suspension holds from its arrival on",
  both(() => [
    ...AROUND.flatMap((time): Row[] => [
      [`made at ${time}, and known`, {}, [
        { at: time, edit: SUSPENSION, isDelivered: true },
        { fire: "10:01", starts: [] },
        { settle: "10:01:01", slots: [] },
      ]],
      [`made at ${time}, and not known yet`, {}, [
        { at: time, edit: SUSPENSION, isDelivered: false },
        { fire: "10:01", starts: ["10:01"] },
        { settle: "10:01:01", slots: ["10:01"] },
      ]],
    ]),
    ...["10:01:00.001", "10:01:01"].map((time): Row => [`made after the start, at ${time}`, {}, [
      { fire: "10:01", starts: ["10:01"] },
      { at: time, edit: SUSPENSION, isDelivered: true },
      { fire: "10:02", starts: [] },
      { settle: "10:02:01", slots: ["10:01"] },
    ]]),
    ["made after the instant, but before a late start", {}, [
      { at: "10:01:00.200", edit: SUSPENSION, isDelivered: true },
      { fire: "10:01:00.900", starts: [] },
      { settle: "10:01:01", slots: [] },
    ]],
    ["taken back before the instant", {}, [
      { at: "10:00:59", edit: SUSPENSION, isDelivered: true },
      { at: "10:00:59.500", edit: { spec: { suspend: false } }, isDelivered: true },
      { fire: "10:01", starts: ["10:01"] },
      { settle: "10:01:01", slots: ["10:01"] },
    ]],
  ]),
);

table(
  "Another schedule holds from its arrival on",
  both((flavour) => [
    ...AROUND.flatMap((time): Row[] => [
      [`written at ${time}, and known`, {}, [
        { at: time, edit: HOURLY, isDelivered: true },
        { fire: "10:01", starts: [] },
        { settle: "10:01:01", slots: [] },
        { fire: "10:30", starts: ["10:30"] },
      ]],
      [`written at ${time}, and not known yet`, {}, [
        { at: time, edit: HOURLY, isDelivered: false },
        { fire: "10:01", starts: ["10:01"] },
        { settle: "10:01:01", slots: ["10:01"] },
        { fire: "10:30", starts: ["10:30"] },
      ]],
    ]),
    ["written after the start", {}, [
      { fire: "10:01", starts: ["10:01"] },
      { at: "10:01:00.001", edit: HOURLY, isDelivered: true },
      { fire: "10:02", starts: [] },
      { settle: "10:02:01", slots: ["10:01"] },
      { fire: "10:30", starts: ["10:30"] },
    ]],
    ...(flavour.extrasIn === "spec"
      ? [
        ["moved by spec.startTime behind the instant", {}, [
          { at: "10:00:59", edit: { spec: { startTime: "2026-03-10T10:01:30Z" } }, isDelivered: true },
          { fire: "10:01", starts: [] },
          { fire: "10:02", starts: ["10:02"] },
        ]],
        ["ended by spec.endTime before the instant", {}, [
          { at: "10:00:59", edit: { spec: { endTime: "2026-03-10T10:00:59Z" } }, isDelivered: true },
          { fire: "10:01", starts: [] },
          { settle: "10:01:01", slots: [] },
        ]],
        ["paused until after the instant", {}, [
          {
            at: "10:00:59",
            edit: { spec: { pause: { until: "2026-03-10T10:01:30Z" } } as Partial<CronJobSpec> },
            isDelivered: true,
          },
          { fire: "10:01", starts: [] },
        ]],
      ] satisfies Row[]
      : []),
  ]),
);

const ADOPTED: StartingGiven = { spec: { suspend: true }, annotations: { [MANAGED]: "true" } };
const RELEASE: Edit = { metadata: { annotations: { [MANAGED]: RELEASING_VALUE } } };

table("Adoption, its end and our own pause hold from their arrival on", [
  ["adopted", ADOPTED, [{ fire: "10:01", starts: ["10:01"] }, { settle: "10:01", slots: ["10:01"] }]],
  ["being released, and known", ADOPTED, [
    { at: "10:00:59.999", edit: RELEASE, isDelivered: true },
    { fire: "10:01", starts: [] },
  ]],
  ["being released, and not known yet", ADOPTED, [
    { at: "10:00:59.999", edit: RELEASE, isDelivered: false },
    { fire: "10:01", starts: ["10:01"] },
  ]],
  ["run by another all the same", ADOPTED, [
    { at: "10:00:59.999", edit: { spec: { suspend: false } }, isDelivered: true },
    { fire: "10:01", starts: [] },
    { settle: "10:01:01", slots: [] },
  ]],
  ["paused by our annotation", ADOPTED, [
    { at: "10:00:59.999", edit: { metadata: { annotations: { [SUSPEND]: "true" } } }, isDelivered: true },
    { fire: "10:01", starts: [] },
    { settle: "10:01:01", slots: [] },
  ]],
  ["adopted, suspended all the time, and adopted only now", { spec: { suspend: true } }, [
    { at: "10:00:59.999", edit: { metadata: { annotations: { [MANAGED]: "true" } } }, isDelivered: true },
    { fire: "10:01", starts: ["10:01"] },
  ]],
  ["no longer ours to reconcile", {
    ...ADOPTED,
    isOurs: ({ metadata }) => metadata.annotations?.[MANAGED] !== undefined,
  }, [
    { at: "10:00:59.999", edit: { metadata: { annotations: { [MANAGED]: null } } }, isDelivered: true },
    { fire: "10:01", starts: [] },
  ]],
]);

table("A run starts inside its deadline, and on its schedule's own grid", [
  ["late, but inside the deadline", { spec: { startingDeadlineSeconds: 10 } }, [
    { fire: "10:01:10", starts: ["10:01"] },
  ]],
  ["after the deadline", { spec: { startingDeadlineSeconds: 10 } }, [
    { fire: "10:01:10.001", starts: [] },
    { settle: "10:01:11", slots: [] },
    { fire: "10:02", starts: ["10:02"] },
  ]],
  ["the last before spec.endTime, late", { flavour: TUTORIAL, spec: { endTime: "2026-03-10T10:01:00Z" } }, [
    { fire: "10:01:20", starts: ["10:01"] },
    { settle: "10:01:20", slots: ["10:01"] },
    { fire: "10:02", starts: [] },
  ]],
  ["@every, counted from the creation, and then from the last run", {
    flavour: TUTORIAL,
    created: "10:00:10",
    spec: { schedule: "@every 40s" },
  }, [
    { fire: "10:00:49.999", starts: [] },
    { fire: "10:00:50", starts: ["10:00:50"] },
    { settle: "10:00:51", slots: ["10:00:50"] },
    { fire: "10:01:30", starts: ["10:01:30"] },
    { settle: "10:01:30", slots: ["10:00:50", "10:01:30"] },
    { fire: "10:02:10", starts: ["10:02:10"] },
  ]],
  ["@every after a jump of a day: the latest of the same grid", {
    flavour: TUTORIAL,
    created: "10:00:10",
    spec: { schedule: "@every 40s", startingDeadlineSeconds: 40 },
  }, [
    { fire: "03-11 10:00:20", starts: ["03-11 10:00:10"] },
    { settle: "03-11 10:00:20", slots: ["03-11 10:00:10"] },
    { fire: "03-11 10:00:50", starts: ["03-11 10:00:50"] },
  ]],
  ["H: at the minute that is the CronJob's own", { flavour: TUTORIAL, spec: { schedule: "H * * * *" } }, [
    { fire: "10:15", starts: [] },
    { fire: "10:16", starts: ["10:16"] },
    { settle: "10:16", slots: ["10:16"] },
    { fire: "11:15:59.999", starts: [] },
    { fire: "11:16", starts: ["11:16"] },
  ]],
  ["spread: so long after its time as is the CronJob's own", { flavour: TUTORIAL, spec: { spreadSeconds: 50 } }, [
    { fire: "10:01", starts: [] },
    { fire: "10:01:09.999", starts: [] },
    { fire: "10:01:10", starts: ["10:01"] },
    { settle: "10:01:10", slots: ["10:01"] },
    { fire: "10:02:09.999", starts: [] },
    { fire: "10:02:10", starts: ["10:02"] },
  ]],
  ["spread, with the clock a minute ahead", { flavour: TUTORIAL, spec: { spreadSeconds: 50 } }, [
    { fire: "10:02:09.999", starts: ["10:01"] },
    { fire: "10:02:10", starts: ["10:02"] },
  ]],
]);

test("A Job has the template of the version that was known at the instant", async (context) => {
  const template = (image: string) => ({
    spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: "main", image }] } } } } } as never,
  });
  for (const [isDelivered, image] of [[true, "second"], [false, "first"]] as const) {
    await context.step(`${image}`, async () => {
      const { server } = await play({}, [
        { at: "10:00:59.999", edit: template("second"), isDelivered },
        { fire: "10:01", starts: ["10:01"] },
        { settle: "10:01:01", slots: ["10:01"] },
      ]);
      assertEquals(imageOf(must(server.created[0]).job), image);
    });
  }
});

test("A Job that says what it runs for says so of its own run, as armed and as decided late", async (context) => {
  for (const [fire, slot] of [["10:01", "10:01"], ["10:05:10", "10:05"]] as const) {
    await context.step(slot, async () => {
      const { server } = await play({ flavour: TUTORIAL, spec: { exposeSchedule: true } }, [{ fire, starts: [slot] }]);
      const [container] = atLeast(1, must(server.created[0]).job.spec!.template.spec!.containers);
      assertEquals(container.env, [
        { name: "CRON_SCHEDULED_TIME", value: `2026-03-10T${slot}:00Z` },
        { name: "CRON_TRIGGER", value: "Schedule" },
      ]);
    });
  }
});

test("A template of 900 kB arrives as it is, more often than all that may be built ahead", async () => {
  const args = ["ü".repeat(450_000)];
  const containers = [{ name: "main", image: "first", args }];
  const spec = { jobTemplate: { spec: { template: { spec: { containers } } } } } as Partial<CronJobSpec>;
  const starting = new Starting({ spec });
  await starting.comeToRest();
  for (let minute = 1; minute <= 40; minute++) {
    starting.set(`10:${String(minute).padStart(2, "0")}`);
    assertEquals((await starting.fire()).length, 1);
    await starting.comeToRest();
  }
  for (const { job } of starting.server.created) {
    assertEquals(must(must(job.spec!.template.spec!.containers[0]).args![0]).length, 450_000);
  }
});

test("A run whose Job another client made counts as started, and only one Job has its name", async () => {
  const starting = new Starting({});
  await starting.comeToRest();
  const name = `c-${Date.parse("2026-03-10T10:01:00Z") / 60_000}`;
  starting.server.put("jobs", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace: "default",
      uid: "other",
      resourceVersion: "",
      creationTimestamp: "2026-03-10T10:00:00Z",
    },
  });
  starting.set("10:01");
  assertEquals(await starting.fire(), []);
  await starting.comeToRest();
  assertEquals(starting.cronJob.status?.lastScheduleTime, "2026-03-10T10:01:00Z");
  starting.set("10:02");
  assertEquals(await starting.fire(), ["10:02"]);
});

test("While a former leader's Jobs are still being listed, only a run that needs no others starts, and once", async (context) => {
  const rows: [sentence: string, spec: Partial<CronJobSpec>, starts: string[]][] = [
    ["Allow", {}, ["10:01"]],
    ["Forbid", { concurrencyPolicy: "Forbid" }, []],
    ["Replace", { concurrencyPolicy: "Replace" }, []],
    ["Queue", { concurrencyPolicy: "Queue" }, []],
    ["a limit", { maxConcurrentRuns: 2 }, []],
  ];
  for (const [sentence, spec, starts] of rows) {
    await context.step(sentence, async () => {
      const starting = new Starting({ flavour: TUTORIAL, spec });
      starting.reconciler.foresee(starting.cronJobs.get("default/c")!);
      starting.set("10:01:02");
      assertEquals(await starting.fire({ jobsAreListed: false }), starts);
      await starting.comeToRest();
      assertEquals(starting.slots(), ["10:01"]);
    });
  }
});

test("A former leader's run of this instant, that neither status nor cache shows, is not started again", async () => {
  const former = new Starting({});
  await former.comeToRest();
  former.set("10:01");
  await former.fire();
  const heir = new Starting({});
  heir.reconciler.foresee(heir.cronJobs.get("default/c")!);
  heir.server.put("jobs", must(former.server.created[0]).job);
  heir.set("10:01:02");
  assertEquals(await heir.fire({ jobsAreListed: false }), []);
  await heir.comeToRest();
  assertEquals(heir.slots(), []);
  assertEquals(heir.cronJob.status?.active?.map(({ name }) => name), [
    must(former.server.created[0]).job.metadata.name,
  ]);
});

test("What another run holds back is judged by what was heard of it", async (context) => {
  /** At 10:01 one started; at 10:01:59.999 it ended. */
  const rows: [policy: CronJobSpec["concurrencyPolicy"], isDelivered: boolean, starts: string[], later: string[]][] = [
    ["Forbid", true, ["10:02"], ["10:01", "10:02"]],
    ["Forbid", false, [], ["10:01", "10:02"]],
    ["Queue", true, ["10:02"], ["10:01", "10:02"]],
    ["Queue", false, [], ["10:01", "10:02"]],
    ["Replace", true, ["10:02"], ["10:01", "10:02"]],
    ["Replace", false, ["10:02"], ["10:01", "10:02"]],
  ];
  for (const [concurrencyPolicy, isDelivered, starts, later] of rows) {
    await context.step(`${concurrencyPolicy}, ${isDelivered ? "heard" : "not heard"} of the end`, async () => {
      const starting = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy } });
      await starting.comeToRest();
      starting.set("10:01");
      assertEquals(await starting.fire(), ["10:01"]);
      await starting.comeToRest();
      starting.set("10:01:59.999");
      starting.finish("10:01");
      if (isDelivered) starting.deliverAll();
      starting.set("10:02");
      assertEquals(await starting.fire(), starts);
      await starting.comeToRest();
      assertEquals(starting.slots(), later);
      for (const { job, beside } of starting.server.created) assertEquals(beside, [], job.metadata.name);
    });
  }
});
