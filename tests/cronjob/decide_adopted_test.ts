import { assert, assertEquals } from "@std/assert";
import { adoptEdit } from "../../src/cronjob/adoption/adoption_edits.ts";
import { ABOUT, MANAGED, PAUSE, SUSPEND, TRIGGER, WAITING } from "../../src/cronjob/api/annotations.ts";
import { annotationOf } from "../../src/cronjob/api/spec_fields.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { decide, decideRecords } from "../../src/cronjob/decide.ts";
import { jobFor } from "../../src/cronjob/decision/job_template.ts";
import { ownerOf } from "../../src/cronjob/api/ownership.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { table } from "./support/table.ts";
import { type Given, rawJobs, TUTORIAL, world } from "./support/world.ts";

const adopted = { spec: { suspend: true }, annotations: { [MANAGED]: "true" } };
const paused = { ...adopted, annotations: { [MANAGED]: "true", [SUSPEND]: "true" } };
const contested = { ...adopted, spec: { suspend: false } };
const releasing = { ...adopted, annotations: { [MANAGED]: "releasing" } };
const ours = { time: "09:00", controlled: false };
const theirs = { time: "09:00" };
const released = {
  annotations: {
    "cronjob-controller.dev/about": null,
    [MANAGED]: null,
    [SUSPEND]: null,
    "cronjob-controller.dev/next-schedule-time": null,
    "cronjob-controller.dev/passed-over": null,
    "cronjob-controller.dev/waiting": null,
  },
};

table("decide() runs adopted CronJobs, though they are suspended", BATCH, [
  ["it is time: starts", { ...adopted, now: "09:00" }, { start: "09:00", requeue: "10:00" }],
  ["paused by its annotation: starts nothing", { ...paused, now: "09:00" }, { requeue: "never" }],
  [
    "paused: what a person asks for starts all the same",
    { ...paused, annotations: { ...paused.annotations, [TRIGGER]: "now" }, now: "09:00" },
    { start: "trigger now" },
  ],
  [
    "paused before it was adopted, which the annotation does not say: counts for nothing",
    { ...adopted, annotations: { [MANAGED]: "true", [SUSPEND]: "false" }, now: "09:00" },
    { start: "09:00", requeue: "10:00" },
  ],
  [
    "not adopted but suspended: starts nothing, whatever its other annotation says",
    { spec: { suspend: true }, annotations: { [SUSPEND]: "false" }, now: "09:00" },
    { requeue: "never" },
  ],
  [
    "an annotation says neither true nor false: counts as not adopted, and warns",
    { ...adopted, annotations: { [MANAGED]: "yes" }, now: "09:00" },
    { events: ["InvalidAnnotation"], requeue: "never" },
  ],
  [
    "resumed, and a run came due in the pause: starts the latest",
    { ...adopted, last: "05:00", created: "04:00", now: "09:30", memory: { resumedAt: "09:20" } },
    { start: "09:00", requeue: "10:00", status: { passedOver: ["05:00-09:00"] } },
  ],
  [
    "resumed, and on-resume is None: waits for the next",
    {
      ...adopted,
      annotations: { ...adopted.annotations, [annotationOf("onResume")]: "None" },
      last: "05:00",
      created: "04:00",
      now: "09:30",
      memory: { resumedAt: "09:20" },
    },
    { requeue: "10:00" },
  ],
  [
    "resumed by writing false while no controller looked, and on-resume is None: waits for the next",
    {
      ...adopted,
      annotations: { [MANAGED]: "true", [SUSPEND]: "false", [annotationOf("onResume")]: "None" },
      last: "05:00",
      created: "04:00",
      now: "09:30",
      written: [{ at: "09:20", fields: [SUSPEND] }],
    },
    { requeue: "10:00" },
  ],
  [
    "adopted just after the hour, and on-resume is None: that hour still counts, as it was never paused",
    {
      ...adopted,
      annotations: { ...adopted.annotations, [annotationOf("onResume")]: "None" },
      last: "08:00",
      created: "04:00",
      now: "09:00:10",
      written: [{ at: "09:00:05", fields: ["suspend"] }, { at: "09:00:05", fields: [MANAGED] }],
    },
    { start: "09:00", requeue: "10:00" },
  ],
]);

const halfPast = { schedule: "30 * * * *", created: "04:00", last: "09:00", now: "09:41" };

table("decide() counts the times of a schedule from the edit that this process saw", BATCH, [
  ["no edit: starts the run that was missed", halfPast, { start: "09:30", requeue: "10:30" }],
  ["edited since: waits for the next", { ...halfPast, memory: { editedAt: "09:40" } }, { requeue: "10:30" }],
  ["edited before: starts it all the same", { ...halfPast, memory: { editedAt: "09:20" } }, {
    start: "09:30",
    requeue: "10:30",
  }],
]);

table("decide() has the Jobs of adopted CronJobs change hands", BATCH, [
  [
    "taken over: from another controller, and the run of its time is done",
    { ...adopted, last: "09:00", now: "09:30", jobs: [theirs] },
    { handsOver: ["09:00 false"], requeue: "10:00", status: { active: ["09:00"] }, writes: false },
  ],
  [
    "taken over before the status had it",
    { ...adopted, last: "08:00", now: "09:00:01", jobs: [{ ...theirs, listed: false }] },
    {
      handsOver: ["09:00 false"],
      status: { active: ["09:00"], lastScheduleTime: "09:00" },
      writes: true,
      requeue: "10:00",
    },
  ],
  ["ours already: nothing to do", { ...adopted, last: "09:00", now: "09:30", jobs: [ours] }, {
    handsOver: [],
    requeue: "10:00",
  }],
  [
    "taken over under Forbid: another run waits for it",
    { ...adopted, spec: { suspend: true, concurrencyPolicy: "Forbid" }, last: "09:00", now: "10:00", jobs: [theirs] },
    { handsOver: ["09:00 false"], events: ["JobAlreadyActive"], requeue: "11:00" },
  ],
  [
    "those that have ended, too: history has one keeper",
    {
      ...adopted,
      spec: { suspend: true, successfulJobsHistoryLimit: 2 },
      last: "09:00",
      now: "09:30",
      jobs: [
        { time: "07:00", state: "succeeded" },
        { time: "08:00", state: "succeeded", controlled: false },
        { time: "09:00", state: "succeeded" },
      ],
      status: { lastSuccessfulTime: "2026-03-10T09:01:00Z" },
    },
    { deletes: ["07:00"], handsOver: ["09:00 false"], requeue: "10:00" },
  ],
  [
    "one that neither schedule nor person made: stays in the hands it is in",
    { ...adopted, now: "08:50", jobs: [{ name: "foreign", listed: false }] },
    { handsOver: [], events: ["UnexpectedJob"], requeue: "09:00" },
  ],
  [
    "not adopted, but once was: those that were left go back",
    { last: "09:00", now: "09:30", jobs: [ours] },
    { handsOver: ["09:00 true"], requeue: "10:00" },
  ],
]);

table("decide() leaves adopted CronJobs alone that another controller runs", BATCH, [
  [
    "spec.suspend is false: starts nothing, warns, and hands over the Job that it started",
    { ...contested, last: "09:00", now: "10:00", jobs: [ours] },
    { events: ["NotSuspended"], handsOver: ["09:00 true"], requeue: "never", writes: false },
  ],
  [
    "nothing by hand either",
    { ...contested, annotations: { ...contested.annotations, [TRIGGER]: "now" }, now: "09:00" },
    { events: ["NotSuspended"], writes: false },
  ],
  [
    "its status may say what it will, and its history be too long",
    {
      ...contested,
      spec: { suspend: false, successfulJobsHistoryLimit: 0 },
      last: "07:00",
      now: "09:30",
      jobs: [{ time: "08:00", state: "succeeded" }, { ...theirs, listed: false }],
      lost: "gone",
    },
    { events: ["NotSuspended"], handsOver: [], writes: false },
  ],
]);

table("decide() gives CronJobs back", BATCH, [
  [
    "starts nothing more, hands the Jobs over, and says all in the status before",
    { ...releasing, last: "08:00", now: "10:00", jobs: [{ ...ours, listed: false }] },
    {
      handsOver: ["09:00 true"],
      status: { lastScheduleTime: "09:00", active: ["09:00"] },
      writes: true,
      release: { ...released, spec: { suspend: false } },
    },
  ],
  [
    "a paused one: stays suspended",
    { ...releasing, annotations: { [MANAGED]: "releasing", [SUSPEND]: "true" }, now: "09:00" },
    { release: { ...released, spec: { suspend: true } } },
  ],
  [
    "one that a user paused: is suspended in place of that, and it still says who did",
    {
      ...releasing,
      annotations: { [MANAGED]: "releasing", [PAUSE]: '{"by":"ana","until":"2026-03-10T12:00:00Z"}' },
      now: "09:00",
    },
    {
      release: {
        annotations: { ...released.annotations, [PAUSE]: '{"by":"ana","suspends":true}' },
        spec: { suspend: true },
      },
    },
  ],
  [
    "one with a request to run that no controller has answered: a later adoption must not start it",
    {
      ...releasing,
      annotations: { [MANAGED]: "releasing", [TRIGGER]: "cli-1", "cronjob-controller.dev/last-trigger": "cli-0" },
      now: "09:00",
    },
    { release: { annotations: { ...released.annotations, [TRIGGER]: null }, spec: { suspend: false } } },
  ],
  [
    "one with a request that is answered: which stays noted",
    {
      ...releasing,
      annotations: { [MANAGED]: "releasing", [TRIGGER]: "cli-1", "cronjob-controller.dev/last-trigger": "cli-1" },
      now: "09:00",
    },
    { release: { ...released, spec: { suspend: false } } },
  ],
  [
    "one whose pause has ended: runs again, and nothing is left of it",
    {
      ...releasing,
      annotations: { [MANAGED]: "releasing", [PAUSE]: '{"by":"ana","until":"2026-03-10T08:00:00Z"}' },
      now: "09:00",
    },
    { release: { annotations: { ...released.annotations, [PAUSE]: null }, spec: { suspend: false } } },
  ],
  [
    "one that isn't suspended any more: leaves its status to the other controller, and it as it is",
    {
      ...contested,
      annotations: { [MANAGED]: "releasing", [SUSPEND]: "true" },
      last: "08:00",
      now: "09:00",
      jobs: [{ ...ours, listed: false }],
    },
    {
      handsOver: ["09:00 true"],
      writes: false,
      release: { ...released, spec: { suspend: false } },
    },
  ],
  [
    "one whose history is too long: hands every Job over, and leaves the history to its new keeper",
    {
      ...releasing,
      spec: { suspend: true, successfulJobsHistoryLimit: 1 },
      last: "08:00",
      now: "09:00",
      jobs: [
        { time: "07:00", state: "succeeded", controlled: false },
        { time: "08:00", state: "succeeded", controlled: false },
      ],
      status: { lastSuccessfulTime: "2026-03-10T08:01:00Z" },
    },
    {
      handsOver: ["07:00 true", "08:00 true"],
      deletes: [],
      release: { ...released, spec: { suspend: false } },
    },
  ],
  [
    "one that is being deleted: leaves it to that",
    { ...releasing, deleting: true, now: "09:00" },
    {},
  ],
]);

test("decide() makes Jobs of adopted CronJobs that another controller does not take for its own", () => {
  const controllers = ([adopted, {}] as Partial<Given>[]).map((given) => {
    const input = world(BATCH, { ...given, now: "09:00" });
    const plan = decide(input);
    assert(plan.kind === "start");
    const [{ controller, blockOwnerDeletion, uid }] = atLeast(
      1,
      jobFor(input.cronJob, plan.request).metadata.ownerReferences!,
    );
    return { controller, blockOwnerDeletion, uid };
  });
  assertEquals(controllers, [
    { controller: false, blockOwnerDeletion: true, uid: "cronjob-uid" },
    { controller: true, blockOwnerDeletion: true, uid: "cronjob-uid" },
  ]);
});

test("decide() hands no Job over again whose new hands the cache does not show yet", () => {
  const input = world(BATCH, { ...adopted, last: "09:00", now: "09:30", jobs: [theirs] });
  const handedOver = new Map(input.jobs.map(({ metadata: { uid } }) => [uid, false]));
  assertEquals(decideRecords({ ...input, facts: { ...input.facts!, handedOver } }).handOvers, []);
});

test("decide() knows nothing of adoption in the tutorial's flavour", () => {
  const given = { spec: { suspend: false }, annotations: { [MANAGED]: "releasing" }, now: "09:00" };
  const input = world(TUTORIAL, given);
  const plan = decide(input);
  assert(plan.kind === "start");
  assertEquals(jobFor(input.cronJob, plan.request).metadata.ownerReferences?.[0]?.controller, true);
  const { handOvers, release } = decideRecords(input);
  assertEquals([handOvers, release], [[], undefined]);
});

test("ownerOf() takes for a child what a run made, and nothing that is another's or only mentions the CronJob", () => {
  const of = (job: NonNullable<Given["jobs"]>[number], api = BATCH) => {
    const [made] = atLeast(1, rawJobs(api, { now: "10:00", jobs: [job] }));
    return ownerOf(api, made)?.uid;
  };
  assertEquals(of({ time: "09:00" }), "cronjob-uid");
  assertEquals(of({ time: "09:00", controlled: false }), "cronjob-uid");
  assertEquals(of({ name: "by-hand", controlled: false, annotations: { [TRIGGER]: "1" } }), "cronjob-uid");
  assertEquals(of({ name: "mentions", controlled: false }), undefined);
  assertEquals(of({ time: "09:00", controlled: false }, TUTORIAL), undefined);
  const [made] = atLeast(1, rawJobs(BATCH, { now: "10:00", jobs: [{ time: "09:00", controlled: false }] }));
  const [owner] = atLeast(1, made.metadata.ownerReferences!);
  const elsewhere = { ...owner, uid: "other", apiVersion: "example.com/v1", kind: "Backup", controller: true };
  const taken = { ...made, metadata: { ...made.metadata, ownerReferences: [owner, elsewhere] } };
  assertEquals(ownerOf(BATCH, taken), undefined);
});

test("An adoption forgets the line of an earlier one, whose runs another controller may have started since", () => {
  const line = '[{"after":"2026-03-10T08:00:00Z","before":"2026-03-10T09:00:01Z"}]';
  const editOf = (given: Record<string, string>) => {
    const { [ABOUT]: _, ...annotations } =
      adoptEdit(world(BATCH, { now: "09:00", annotations: given }).cronJob.object).annotations;
    return annotations;
  };
  assertEquals(editOf({ [WAITING]: line }), { [MANAGED]: "true", [SUSPEND]: null, [WAITING]: null });
  assertEquals(editOf({ [MANAGED]: "true", [WAITING]: line }), { [MANAGED]: "true", [SUSPEND]: null });
});
