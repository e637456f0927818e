import { assertEquals } from "@std/assert";
import { BACKFILL, EXCLUDE, MANAGED, PAUSE, SCHEDULE, SUSPEND } from "../../src/cronjob/api/annotations.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { type Serves, writeServes } from "../../src/cronjob/api/serves.ts";
import type { Lease } from "../../src/kube/resource.ts";
import { explain } from "../../src/view/explain/explain.ts";
import { headlinesOf } from "../../src/view/headline.ts";
import { type LeaseFacts, readLease } from "../../src/view/lease_facts.ts";
import { asRun, type Controllers, type Runner, runnerOf } from "../../src/view/runner.ts";
import { viewOf } from "../../src/view/view_of.ts";
import { at, type Given, world } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const NOW = at("10:20");

function leaseOf(holder: string, renewed: string, serves?: Serves, writer = holder): LeaseFacts {
  return readLease({
    metadata: { name: "l", namespace: "n", annotations: serves && writeServes(serves, writer) },
    spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: new Date(at(renewed)).toISOString() },
  } as unknown as Lease);
}

const ALL: Serves = { apis: ["batch/v1", "batch.tutorial.kubebuilder.io/v1"], managedOnly: false, namespaces: [] };
const ADOPTED_ONLY: Serves = { ...ALL, managedOnly: true };
const HELD = leaseOf("a", "10:19:58", ALL);
const GIVEN_BACK = leaseOf("", "10:10");
const EXPIRED = leaseOf("a", "10:19:40", ALL);
const MISSING: LeaseFacts = { kind: "missing", key: "n/l" };
const FORBIDDEN: LeaseFacts = { kind: "forbidden", key: "n/l" };

const PLAIN: Partial<Given> = {};
const ADOPTED: Partial<Given> = { spec: { suspend: true }, annotations: { [MANAGED]: "true" } };
const TYPO: Partial<Given> = { spec: { suspend: true }, annotations: { [MANAGED]: "True" } };
const CONTESTED: Partial<Given> = { annotations: { [MANAGED]: "true" } };

function cronJobOf(flavour: Flavour, given: Partial<Given>) {
  return world(flavour, { now: "10:20", ...given }).cronJob;
}

function inShort(runner: Runner): string {
  if (runner.by === "cronjob-controller") return `${runner.by}, ${runner.leads}`;
  return runner.by === "none" ? `none, ${runner.reason}` : runner.by;
}

const OURS = "cronjob-controller, yes";
const KUBERNETES = "kube-controller-manager";
const ROWS: readonly (readonly [string, Flavour, Partial<Given>, LeaseFacts, string])[] = [
  ["a plain one where a leader says that it runs all", BATCH, PLAIN, HELD, OURS],
  ["a plain one where a leader runs adopted ones", BATCH, PLAIN, leaseOf("a", "10:19:58", ADOPTED_ONLY), KUBERNETES],
  ["a plain one where a leader says nothing", BATCH, PLAIN, leaseOf("a", "10:19:58"), KUBERNETES],
  ["a plain one where an earlier leader said so", BATCH, PLAIN, leaseOf("b", "10:19:58", ALL, "a"), KUBERNETES],
  ["a plain one where the leader is gone", BATCH, PLAIN, EXPIRED, KUBERNETES],
  ["a plain one without a Lease", BATCH, PLAIN, MISSING, KUBERNETES],
  [
    "a plain one of another namespace",
    BATCH,
    PLAIN,
    leaseOf("a", "10:19:58", { ...ALL, namespaces: ["x"] }),
    KUBERNETES,
  ],
  ["an adopted one", BATCH, ADOPTED, leaseOf("a", "10:19:58", ADOPTED_ONLY), OURS],
  ["an adopted one whose leader does not say what it runs", BATCH, ADOPTED, leaseOf("a", "10:19:58"), OURS],
  ["an adopted one while no controller leads", BATCH, ADOPTED, GIVEN_BACK, "none, NoController"],
  ["an adopted one past the duration of the Lease", BATCH, ADOPTED, EXPIRED, "none, NoController"],
  ["an adopted one inside it", BATCH, ADOPTED, leaseOf("a", "10:19:46"), OURS],
  [
    "an adopted one whose leader runs another API",
    BATCH,
    ADOPTED,
    leaseOf("a", "10:19:58", { ...ALL, apis: ["cronjob-controller.dev/v1"] }),
    "none, NoController",
  ],
  ["an adopted one without a Lease", BATCH, ADOPTED, MISSING, "cronjob-controller, no Lease"],
  ["an adopted one for a user who may not know", BATCH, ADOPTED, FORBIDDEN, "cronjob-controller, unknown"],
  ["a custom resource", TUTORIAL, PLAIN, HELD, OURS],
  ["a custom resource while no controller leads", TUTORIAL, PLAIN, GIVEN_BACK, "none, NoController"],
  ["a suspended one whose managed is no known word", BATCH, TYPO, HELD, OURS],
  ["the same beside kube-controller-manager", BATCH, TYPO, GIVEN_BACK, "none, InvalidAnnotation"],
  ["one that is adopted and not suspended", BATCH, CONTESTED, HELD, "contested"],
];

table("who runs a CronJob follows from the object and the Lease", ROWS, (flavour, given, lease, expected) => {
  const controllers: Controllers = { isEmbedded: false, leases: [lease] };
  assertEquals(inShort(runnerOf(cronJobOf(flavour, given), controllers, NOW)), expected);
});

table(
  "beside a standalone the Lease alone says who runs a CronJob, and kube-controller-manager never does",
  [
    ["a plain one that a leader runs", BATCH, PLAIN, HELD, OURS],
    ["a plain one that no controller of standalone runs", BATCH, PLAIN, MISSING, "cronjob-controller, no Lease"],
    ["a plain one after a standalone that ran it", BATCH, PLAIN, GIVEN_BACK, "none, NoController"],
    [
      "a plain one beside a controller --managed-only",
      BATCH,
      PLAIN,
      leaseOf("a", "10:19:58", ADOPTED_ONLY),
      "none, NoController",
    ],
    [
      "a custom resource that no controller of standalone runs",
      TUTORIAL,
      PLAIN,
      MISSING,
      "cronjob-controller, no Lease",
    ],
  ] satisfies typeof ROWS,
  (flavour, given, lease, expected) => {
    assertEquals(inShort(runnerOf(cronJobOf(flavour, given), { isEmbedded: true, leases: [lease] }, NOW)), expected);
  },
);

const KCM: Controllers = { isEmbedded: false, leases: [MISSING] };

const UP: Controllers = { isEmbedded: false, leases: [HELD] };

function seen(given: Partial<Given>, controllers: Controllers, flavour = BATCH) {
  return viewOf({ ...asRun(cronJobOf(flavour, { last: "10:00", ...given }), controllers, NOW), jobs: [], now: NOW });
}

test("a controller with a Lease of its own runs what it says, beside the installed one", () => {
  const other = readLease({
    metadata: { name: "own", namespace: "n", annotations: writeServes({ ...ALL, apis: ["batch/v1"] }, "b") },
    spec: { holderIdentity: "b", leaseDurationSeconds: 15, renewTime: new Date(at("10:19:58")).toISOString() },
  } as unknown as Lease);
  const installed = leaseOf("a", "10:19:58", { ...ALL, apis: ["batch.tutorial.kubebuilder.io/v1"] });
  const both: Controllers = { isEmbedded: false, leases: [installed, other] };
  const who = (flavour: Flavour, given: Partial<Given>) => runnerOf(cronJobOf(flavour, given), both, NOW);
  assertEquals([who(BATCH, PLAIN), who(BATCH, ADOPTED), who(TUTORIAL, PLAIN)].map(inShort), [OURS, OURS, OURS]);
  assertEquals(who(BATCH, PLAIN).why, "b leads (Lease n/own)");
});

test("a Lease is judged as of when it was read, while it may not be read again", () => {
  const cronJob = cronJobOf(TUTORIAL, PLAIN);
  const by = (readAt: string) =>
    inShort(runnerOf(cronJob, { isEmbedded: false, leases: [HELD], readAt: at(readAt) }, at("10:50")));
  assertEquals([by("10:20"), by("10:21")], [OURS, "none, NoController"]);
});

test("annotations of a CronJob that kube-controller-manager runs have no effect, and are named", () => {
  const annotations = {
    [PAUSE]: '{"reason":"x"}',
    [EXCLUDE]: '[{"dates":["2026-03-10"]}]',
    [SCHEDULE]: "0 5 L * *",
    [SUSPEND]: "true",
    [BACKFILL]: "unreadable",
    "cronjob-controller.dev/failures-in-a-row": "{}",
  };
  const view = seen({ annotations, schedule: "0 * * * *" }, KCM);
  assertEquals([view.state, view.nextRun?.kind === "known" && view.nextRun.startsAt], ["Waiting", at("11:00")]);
  assertEquals(
    view.notes,
    ["pause", "exclude", "schedule", "suspend", "backfill"].map((name) =>
      `annotation cronjob-controller.dev/${name} has no effect: not adopted`
    ),
  );
});

test("an annotation without effect is named though it is the only one", () => {
  assertEquals(seen({ annotations: { [SUSPEND]: "true" } }, KCM).notes, [
    "annotation cronjob-controller.dev/suspend has no effect: not adopted",
  ]);
});

test("a pause that has ended, and a suspension that names its author, are no annotations without effect", () => {
  const note = (text: string) => seen({ annotations: { [PAUSE]: text }, spec: { suspend: true } }, KCM);
  assertEquals(note('{"until":"2026-03-10T09:00:00Z"}').notes, []);
  const { notes, cause } = note('{"by":"ana","suspends":true}');
  assertEquals([notes, cause?.message], [[], "spec.suspend is true, by ana"]);
});

test("a typo in managed needs attention, names its annotation, and is never just suspended", () => {
  for (const controllers of [KCM, UP, { ...UP, isEmbedded: true }]) {
    const { state, cause, actions, nextRun } = seen(TYPO, controllers);
    assertEquals([state, cause?.reason, actions], ["Invalid", "InvalidAnnotation", [{ do: "CorrectManaged" }]]);
    assertEquals(
      cause?.message,
      'annotation cronjob-controller.dev/managed: "True" is ignored: must be one of true, false, releasing',
    );
    assertEquals(nextRun?.kind === "known", false);
  }
});

test("an unreadable annotation that stops all runs is the cause, with its place in words", () => {
  const annotations = { ...ADOPTED.annotations, [EXCLUDE]: '[{"dates":["2026-13-01"]}]' };
  const { state, cause, notes } = seen({ ...ADOPTED, annotations }, UP);
  assertEquals([state, cause?.reason], ["Invalid", "InvalidExclusion"]);
  assertEquals(
    cause?.message,
    'annotation cronjob-controller.dev/exclude cannot be read, so no scheduled run starts: exclude[0].dates[0] "2026-13-01": must be a date such as 2026-12-25, or --12-31 for each year',
  );
  assertEquals(notes, []);
});

test("an ignored annotation of an adopted CronJob is a note", () => {
  const annotations = { ...ADOPTED.annotations, "cronjob-controller.dev/catch-up": "all" };
  const { state, notes } = seen({ ...ADOPTED, annotations }, UP);
  assertEquals([state, notes], ["Waiting", [
    'annotation cronjob-controller.dev/catch-up: "all" is ignored: must be one of Latest, All, None',
  ]]);
});

test("while no controller leads, no next run is promised, and a headline counts what runs nowhere", () => {
  const down: Controllers = { isEmbedded: false, leases: [GIVEN_BACK] };
  const views = [seen(ADOPTED, down), seen(PLAIN, down, TUTORIAL), seen(PLAIN, down), seen({}, KCM, TUTORIAL)];
  const why = "no controller leads: Lease n/l was given back at 2026-03-10T10:10:00Z";
  assertEquals(views.map(({ state }) => state), ["Stopped", "Stopped", "Waiting", "Waiting"]);
  assertEquals(views.map(({ nextRun }) => must(nextRun).kind), ["unknown", "unknown", "known", "known"]);
  assertEquals(headlinesOf(views), [
    `2 CronJobs run nowhere: ${why}`,
    "1 CronJob runs only if a controller is there: there is no Lease n/l, which a controller with --leader-elect has",
  ]);
});

test("of a leader that runs others, it is said which, and once that this CronJob runs nowhere", () => {
  const whyBeside = (serves: Partial<Serves>) => {
    const controllers: Controllers = { isEmbedded: false, leases: [leaseOf("a", "10:19:58", { ...ALL, ...serves })] };
    return headlinesOf([seen(ADOPTED, controllers)]);
  };
  assertEquals(whyBeside({ apis: ["cronjob-controller.dev/v1"] }), [
    "1 CronJob runs nowhere: a, which leads (Lease n/l), runs CronJobs of cronjob-controller.dev/v1, and none of batch/v1",
  ]);
  assertEquals(whyBeside({ namespaces: ["x", "y"] }), [
    "1 CronJob runs nowhere: a, which leads (Lease n/l), runs CronJobs in x, y alone",
  ]);
});

test("who wrote a status last proves nothing about who runs it next", () => {
  const { object, metadata } = cronJobOf(BATCH, PLAIN);
  const managedFields = [{ manager: "cronjob-controller", subresource: "status", time: "2026-03-10T10:00:00Z" }];
  const cronJob = readCronJob(BATCH, { ...object, metadata: { ...metadata, managedFields } });
  assertEquals(runnerOf(cronJob, KCM, NOW).by, "kube-controller-manager");
});

test("explain says once why nothing runs, and beside it who runs it", () => {
  const explained = (given: Partial<Given>, controllers: Controllers) =>
    explain({ ...asRun(cronJobOf(BATCH, { last: "10:00", ...given }), controllers, NOW), jobs: [], now: NOW });
  const typo = explained(TYPO, KCM);
  assertEquals([typo.runner?.by, typo.notes], ["none", []]);
  const annotations = { ...ADOPTED.annotations, [EXCLUDE]: '[{"dates":["2026-13-01"]}]' };
  const unreadable = explained({ ...ADOPTED, annotations }, UP);
  assertEquals([unreadable.verdict.why?.includes("cannot be read"), unreadable.notes], [true, []]);
});

test("explain promises nothing of a CronJob that two controllers claim, or that runs nowhere", () => {
  const verdictOf = (given: Partial<Given>, controllers: Controllers) => {
    const input = { ...asRun(cronJobOf(BATCH, { last: "10:00", ...given }), controllers, NOW), jobs: [], now: NOW };
    return explain(input, { at: at("11:00") }).verdict;
  };
  assertEquals(verdictOf(CONTESTED, UP).kind, "Unknown");
  const { kind, why } = verdictOf(ADOPTED, { isEmbedded: false, leases: [GIVEN_BACK] });
  assertEquals([kind, why], ["WillNotRun", "no controller leads: Lease n/l was given back at 2026-03-10T10:10:00Z"]);
  assertEquals(verdictOf(ADOPTED, UP).kind, "WillRun");
});
