// Which run starts at an instant, with what was known about it before, what was not delivered yet, and a clock that jumps.
import { assertEquals } from "@std/assert";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import type { Job } from "../../src/kube/resource.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { atLeast, must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { inEachFlavour, play, played } from "./support/played.ts";
import { Starting } from "./support/starting.ts";

/** The image that the last Job runs. */
const imageOf = ({ spec }: Job) => must(spec!.template.spec!.containers[0]).image;

played(
  "A run starts at its instant, once",
  inEachFlavour(() => [
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

played("A wall clock that was set decides anew", [
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
  ["a day ahead with catchUp All: the newest has just come and starts at once; the older ones follow in order", {
    flavour: TUTORIAL,
    spec: { catchUp: { policy: "All", maxRuns: 3, maxParallel: 10 } },
  }, [
    { fire: "03-11 10:00:45", starts: ["03-11 10:00"] },
    { settle: "03-11 10:00:46", slots: ["03-11 10:00", "03-11 09:58", "03-11 09:59"] },
  ]],
  ["a day ahead with catchUp All, and the newest is a minute late: all start in order", {
    flavour: TUTORIAL,
    spec: { schedule: "*/5 * * * *", catchUp: { policy: "All", maxRuns: 3, maxParallel: 10 } },
  }, [
    { fire: "03-11 10:01", starts: [] },
    { settle: "03-11 10:01", slots: ["03-11 09:50", "03-11 09:55", "03-11 10:00"] },
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

played("A run starts inside its deadline, and on its schedule's own grid", [
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

table("A Job has the template of the version that was known at the instant", [
  ["the second, as it had arrived", true, "second"],
  ["the first, as the second had not", false, "first"],
], async (isDelivered, image) => {
  const template = { spec: { containers: [{ name: "main", image: "second" }] } };
  const { server } = await play({}, [
    { at: "10:00:59.999", edit: { spec: { jobTemplate: { spec: { template } } } as never }, isDelivered },
    { fire: "10:01", starts: ["10:01"] },
    { settle: "10:01:01", slots: ["10:01"] },
  ]);
  assertEquals(imageOf(must(server.created[0]).job), image);
});

table("A Job that says what it runs for says so of its own run", [
  ["as armed", "10:01", "10:01"],
  ["as decided late", "10:05:10", "10:05"],
], async (fire, slot) => {
  const { server } = await play({ flavour: TUTORIAL, spec: { exposeSchedule: true } }, [{ fire, starts: [slot] }]);
  const [container] = atLeast(1, must(server.created[0]).job.spec!.template.spec!.containers);
  assertEquals(container.env, [
    { name: "CRON_SCHEDULED_TIME", value: `2026-03-10T${slot}:00Z` },
    { name: "CRON_TRIGGER", value: "Schedule" },
  ]);
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
