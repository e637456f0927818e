import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ActionPlan } from "../../src/actions/action.ts";
import { planBackfill, planCancel } from "../../src/actions/backfill.ts";
import { planPause } from "../../src/actions/pause.ts";
import { planResume } from "../../src/actions/resume.ts";
import { planTrigger } from "../../src/actions/trigger.ts";
import { BACKFILL, MANAGED, PAUSE, RESUME, SUSPEND, TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { type Backfill, NOTHING_COUNTED, writeBackfillProgress } from "../../src/cronjob/api/backfill.ts";
import type { CronJob } from "../../src/cronjob/api/cron_job.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobStatus } from "../../src/cronjob/api/types.ts";
import { at, type Given, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const ADOPTED: Partial<Given> = { spec: { suspend: true }, annotations: { [MANAGED]: "true" } };

function cronJobOf(api: Flavour, given: Partial<Given>): CronJob {
  return world(api, { now: "10:00", ...given }).cronJob;
}

function paused(note: Record<string, unknown>, given: Partial<Given> = {}): Partial<Given> {
  return { ...given, annotations: { ...given.annotations, [PAUSE]: JSON.stringify(note) } };
}

/** The edit with the annotation's JSON read, or what is said in place of one. */
function told(plan: ActionPlan): unknown {
  if (plan.kind === "create") return plan;
  if (plan.kind !== "edit") return `${plan.kind}: ${plan.message}`;
  const { annotations, spec } = plan.edit;
  const read = Object.entries(annotations).map(([name, text]) =>
    [name, name === PAUSE && text !== null ? JSON.parse(text) : text] as const
  );
  return { ...Object.fromEntries(read), ...(spec && { spec }) };
}

const NOTE = { id: "cli-1", by: "ana", reason: "migration", since: "2026-03-10T10:00:00Z" };
const UNTIL_NOON = { ...NOTE, until: "2026-03-10T12:00:00Z" };

const PAUSES: readonly (readonly [string, Flavour, Partial<Given>, until: string | undefined, unknown])[] = [
  ["one of the tutorial is paused", TUTORIAL, {}, "12:00", { [PAUSE]: UNTIL_NOON }],
  ["one of the production flavour is", PRODUCTION, {}, undefined, { [PAUSE]: NOTE }],
  ["an adopted one is", BATCH, ADOPTED, "12:00", { [PAUSE]: UNTIL_NOON }],
  ["one that kube-controller-manager may run is suspended", BATCH, {}, undefined, {
    [PAUSE]: { ...NOTE, suspends: true },
    spec: { suspend: true },
  }],
  [
    "such a one has no end by itself",
    BATCH,
    {},
    "12:00",
    "refused: kube-controller-manager runs it, which knows no pause that ends by itself: `cronjob-controller adopt report -n default` makes it possible, or leave --until out",
  ],
  [
    "one that spec.suspend suspends is left",
    TUTORIAL,
    { spec: { suspend: true } },
    undefined,
    LEFT("suspended by spec.suspend (setting that to false ends it)"),
  ],
  [
    "one that spec.pause pauses is left",
    TUTORIAL,
    { spec: { pause: {} } },
    undefined,
    LEFT("paused by spec.pause (taking that away ends it)"),
  ],
  [
    "one that another user has paused is left",
    TUTORIAL,
    paused({ by: "ben", reason: "x" }),
    "12:00",
    LEFT('paused by ben: "x" (resume --by ben ends that)'),
  ],
  ["one whose pause has ended is paused", TUTORIAL, paused({ until: "2026-03-10T09:00:00Z" }), undefined, {
    [PAUSE]: NOTE,
  }],
  [
    "one that is being deleted is not paused",
    TUTORIAL,
    { deleting: true },
    undefined,
    "left: left as it is: it is being deleted",
  ],
  [
    "one that another controller runs besides is not paused",
    BATCH,
    { annotations: { [MANAGED]: "true" } },
    undefined,
    'left: left as it is: annotation cronjob-controller.dev/managed is "true" but spec.suspend is not true, so kube-controller-manager runs this CronJob: it is left alone until spec.suspend is true, or the annotation is gone',
  ],
];

function LEFT(why: string): string {
  return `unchanged: is paused already, left as it is: ${why}`;
}

table("pausing heeds who runs a CronJob, and who has paused it", PAUSES, (api, given, until, expected) => {
  const request = { id: "cli-1", by: "ana", reason: "migration", until: until && at(until) || undefined };
  assertEquals(told(planPause(cronJobOf(api, given), { ...request, now: at("10:00") })), expected);
});

const MINE = { ...NOTE, since: "2026-03-10T09:00:00Z" };
const ENDED = { ...MINE, until: "2026-03-10T10:00:00Z", resumedBy: "ana" };
const SUSPENDED = paused({ ...MINE, suspends: true }, { spec: { suspend: true } });

function afterFailures(more: Partial<Given> = {}): Partial<Given> {
  const given = { ...more, spec: { ...more.spec, pauseAfterFailures: 1 } };
  const { resumeMark } = cronJobOf(TUTORIAL, given);
  const failuresInARow = { count: 1, pausedSince: "2026-03-10T09:00:00Z", pausedWith: resumeMark };
  return { ...given, status: { failuresInARow } as CronJobStatus };
}

interface Asked {
  of?: string;
  reason?: string;
  withForeign?: boolean;
}

const RESUMES: readonly (readonly [string, Flavour, Partial<Given>, Asked, unknown])[] = [
  ["one's own pause ends", TUTORIAL, paused(MINE), {}, { [PAUSE]: ENDED }],
  ["that of an adopted one ends", BATCH, paused(MINE, ADOPTED), {}, { [PAUSE]: ENDED }],
  ["the reason may be named", TUTORIAL, paused(MINE), { reason: "migration" }, { [PAUSE]: ENDED }],
  [
    "one with another reason is left",
    TUTORIAL,
    paused(MINE),
    { reason: "other" },
    'left: not resumed: paused by ana: "migration" (resume --by ana ends that)',
  ],
  [
    "that of another user is left",
    TUTORIAL,
    paused({ ...MINE, by: "ben" }),
    {},
    'left: not resumed: paused by ben: "migration" (resume --by ben ends that)',
  ],
  ["unless they are named", TUTORIAL, paused({ ...MINE, by: "ben" }), { of: "ben" }, {
    [PAUSE]: { ...ENDED, by: "ben" },
  }],
  [
    "one of an unknown user is not your own",
    TUTORIAL,
    paused({}),
    {},
    /^left: not resumed: paused annotation .* \(taking the annotation cronjob-controller.dev\/pause away ends it\)$/,
  ],
  ["but ends with what others wrote", TUTORIAL, paused({}), { withForeign: true }, {
    [PAUSE]: { resumedBy: "ana", until: ENDED.until },
  }],
  ["what was suspended goes on", BATCH, SUSPENDED, {}, {
    [PAUSE]: { ...ENDED, suspends: true },
    spec: { suspend: false },
  }],
  [
    "adopted since then, it stays suspended for the other controller",
    BATCH,
    {
      ...SUSPENDED,
      annotations: { ...SUSPENDED.annotations, [MANAGED]: "true", [SUSPEND]: "true" },
    },
    {},
    { [PAUSE]: { ...ENDED, suspends: true }, [SUSPEND]: null },
  ],
  [
    "suspended by another user since then, it is theirs",
    BATCH,
    {
      ...SUSPENDED,
      written: [{ at: "09:30", fields: ["suspend"] }],
    },
    {},
    "left: not resumed: suspended by spec.suspend (setting that to false ends it)",
  ],
  [
    "what spec.suspend says is left",
    TUTORIAL,
    { spec: { suspend: true } },
    {},
    "left: not resumed: suspended by spec.suspend (setting that to false ends it)",
  ],
  [
    "what spec.pause says is left",
    TUTORIAL,
    { spec: { pause: {} } },
    {},
    "left: not resumed: paused by spec.pause (taking that away ends it)",
  ],
  ["spec.suspend ends where that is asked for", BATCH, { spec: { suspend: true } }, { withForeign: true }, {
    spec: { suspend: false },
  }],
  [
    "spec.suspend and spec.pause end together, with one's own pause",
    TUTORIAL,
    paused(MINE, { spec: { suspend: true, pause: {} } }),
    { withForeign: true },
    { [PAUSE]: ENDED, spec: { suspend: false, pause: null } },
  ],
  [
    "the annotation that suspends an adopted one ends, and spec.suspend stays",
    BATCH,
    { ...ADOPTED, annotations: { ...ADOPTED.annotations, [SUSPEND]: "true" } },
    { withForeign: true },
    { [SUSPEND]: null },
  ],
  ["a pause that cannot be read ends", TUTORIAL, { annotations: { [PAUSE]: "yes" } }, { withForeign: true }, {
    [PAUSE]: null,
  }],
  [
    "another user's pause is left all the same",
    TUTORIAL,
    paused({ ...MINE, by: "ben" }),
    { withForeign: true },
    'left: not resumed: paused by ben: "migration" (resume --by ben ends that)',
  ],
  ["one that is not paused says so", TUTORIAL, {}, {}, "unchanged: is not paused"],
  ["one whose pause has ended is not paused", TUTORIAL, paused(ENDED), {}, "unchanged: is not paused"],
  ["a pause after failures ends, at any user's request", TUTORIAL, afterFailures(), {}, { [RESUME]: "cli-2" }],
  [
    "a hold for a restored API server ends, at any user's request",
    TUTORIAL,
    { status: { recordLost: { since: "2026-03-10T09:00:00Z", resume: "" } } },
    {},
    { [RESUME]: "cli-2" },
  ],
  ["both end", TUTORIAL, afterFailures(paused(MINE)), {}, { [PAUSE]: ENDED, [RESUME]: "cli-2" }],
  [
    "a reason is never that of failures",
    TUTORIAL,
    afterFailures(),
    { reason: "migration" },
    "left: not resumed: paused after failures in a row",
  ],
  [
    "one that cannot be read is left",
    TUTORIAL,
    { annotations: { [PAUSE]: "yes" } },
    {},
    /^left: not resumed: annotation .* cannot be read.* \(taking that away ends it\)$/,
  ],
];

table("resuming ends what is meant, and nothing of others", RESUMES, (api, given, asked, expected) => {
  const request = { id: "cli-2", by: "ana", of: "ana", reason: undefined, now: at("10:00"), ...asked };
  const result = told(planResume(cronJobOf(api, given), request));
  if (expected instanceof RegExp) assert(typeof result === "string" && expected.test(result), String(result));
  else assertEquals(result, expected);
});

test("a manifest that keeps spec.suspend true is not undone", () => {
  const cronJob = cronJobOf(BATCH, SUSPENDED);
  const managedFields = [["kubectl", "Apply"], ["cronjob-controller-pause", "Update"]].map((
    [manager = "", operation = ""],
  ) => ({
    manager,
    operation,
    time: "2026-03-10T09:30:00Z",
    fieldsV1: { "f:spec": { "f:suspend": {} } },
  }));
  const plan = (writers: typeof managedFields) => {
    const metadata = { ...cronJob.object.metadata, managedFields: writers };
    const request = { id: "cli-2", by: "ana", of: "ana", reason: undefined, now: at("10:00") };
    return planResume(readCronJob(BATCH, { ...cronJob.object, metadata }), request).kind;
  };
  assertEquals(plan(managedFields), "left");
  assertEquals(plan(managedFields.slice(1)), "edit");
});

test("resuming says what still holds", () => {
  const cronJob = cronJobOf(TUTORIAL, paused(MINE, { spec: { suspend: true } }));
  const plan = planResume(cronJob, { id: "cli-2", by: "ana", of: "ana", reason: undefined, now: at("10:00") });
  assertEquals(
    plan.kind === "edit" && plan.message,
    'resumed (was paused by ana: "migration"), but still suspended by spec.suspend (setting that to false ends it)',
  );
});

function trigger(api: Flavour, given: Partial<Given>, changes = {}): ActionPlan {
  const request = { id: "cli-1", now: at("10:00"), changes: { args: [], env: [], ...changes } };
  return planTrigger(cronJobOf(api, given), request);
}

test("a run by hand is asked for where a controller answers, else its Job is created", () => {
  for (const api of [TUTORIAL, PRODUCTION]) assertEquals(told(trigger(api, {})), { [TRIGGER]: "cli-1" });
  assertEquals(told(trigger(BATCH, ADOPTED)), { [TRIGGER]: "cli-1" });
  assertEquals(trigger(BATCH, {}).kind, "create");
  assertEquals(told(trigger(TUTORIAL, { deleting: true })), "left: left as it is: The CronJob is being deleted");
});

test("a request for a run that no controller has answered yet is not overwritten", () => {
  const asked = (annotations: Record<string, string>, status: Given["status"] = {}) =>
    told(trigger(TUTORIAL, { annotations, status }));
  assertEquals(asked({ [TRIGGER]: "a" }), "left: left as it is: no controller has answered the request a yet");
  assertEquals(asked({ [TRIGGER]: "a" }, { lastTrigger: "a" }), { [TRIGGER]: "cli-1" });
  assertEquals(asked({ [TRIGGER]: "cli-1" }), { [TRIGGER]: "cli-1" });
});

test("who wrote the status of a CronJob last proves nothing about who runs it next", () => {
  const { object } = cronJobOf(BATCH, {});
  const managedFields = [
    { manager: "cronjob-controller", operation: "Update", subresource: "status", time: "2026-03-10T09:00:00Z" },
  ];
  const cronJob = readCronJob(BATCH, { ...object, metadata: { ...object.metadata, managedFields } });
  const now = at("10:00");
  assertEquals(planTrigger(cronJob, { id: "cli-1", now, changes: { args: [], env: [] } }).kind, "create");
  const pause = planPause(cronJob, { id: "cli-1", by: "ana", reason: undefined, until: undefined, now });
  assertEquals(pause.kind === "edit" && pause.edit.spec, { suspend: true });
});

test("a Job by hand is as kubectl makes it, with the changes that are asked for", () => {
  const container = {
    name: "main",
    image: "busybox",
    args: ["-a"],
    env: [{ name: "DAY", value: "1" }, { name: "B", value: "$(DAY)" }],
  };
  const side = { name: "side", image: "busybox" };
  const spec = {
    jobTemplate: { metadata: { labels: { a: "b" } }, spec: { template: { spec: { containers: [container, side] } } } },
  };
  const changes = {
    args: ["-v", "x"],
    env: [{ name: "DAY", value: "8" }, { name: "NEW", value: "1" }, { name: "DAY", value: "9" }],
  };
  const plan = trigger(TUTORIAL, { spec }, changes);
  assert(plan.kind === "create");
  const { metadata, spec: job } = plan.job;
  assertEquals(metadata, {
    generateName: "report-manual-",
    namespace: "default",
    labels: { a: "b" },
    annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
    ownerReferences: [{
      apiVersion: "batch.tutorial.kubebuilder.io/v1",
      kind: "CronJob",
      name: "report",
      uid: "cronjob-uid",
      controller: true,
    }],
  });
  assertEquals(job?.template.spec?.containers, [
    {
      ...container,
      args: ["-v", "x"],
      env: [{ name: "DAY", value: "9" }, { name: "B", value: "$(DAY)" }, { name: "NEW", value: "1" }],
    },
    { ...side, env: [{ name: "DAY", value: "9" }, { name: "NEW", value: "1" }] },
  ]);
  // The template is the CronJob's own.
  assertEquals(container.args, ["-a"]);
});

test("arguments are for the container that kubectl would take", () => {
  const containers = [{ name: "a", image: "x" }, { name: "b", image: "x" }];
  const argsOf = (annotations: Record<string, string> = {}) => {
    const spec = { jobTemplate: { spec: { template: { metadata: { annotations }, spec: { containers } } } } };
    const plan = trigger(TUTORIAL, { spec }, { args: ["-v"] });
    return plan.kind === "create" && plan.job.spec?.template.spec?.containers.map(({ args }) => args);
  };
  assertEquals(argsOf(), [["-v"], undefined]);
  assertEquals(argsOf({ "kubectl.kubernetes.io/default-container": "b" }), [undefined, ["-v"]]);
});

/** What becomes of `trigger NAME -- -v x`: the container's arguments, or why not. */
const ARGUMENTS: readonly (readonly [command: string[], args: string[] | undefined, expected: string[] | "lost"])[] = [
  [["/bin/report"], ["-a"], ["-v", "x"]],
  [["/bin/sh"], ["-c", "report"], ["-v", "x"]],
  [["/bin/bash", "-c", "report"], undefined, "lost"],
  [["sh", "-ec", "report $HOME $(date)"], ["-a"], "lost"],
  [["sh", "-c", "report $0"], undefined, "lost"],
  [["sh", "-c", "report", "name"], undefined, "lost"],
  [["bash", "-euo", "pipefail", "-c", "report"], undefined, "lost"],
  [["bash", "/report.sh", "-c", "report.conf"], undefined, ["-v", "x"]],
  [["bash", ...Array(60).fill("-o"), "/report.sh"], undefined, ["-v", "x"]],
  [["/bin/bash", "-c", 'report "$@"'], undefined, ["/bin/bash", "-v", "x"]],
  [["sh", "-c", "report ${1:-all}"], ["name", "-a"], ["name", "-v", "x"]],
  [["sh", "-c", "while getopts v each; do report; done", "name"], undefined, ["-v", "x"]],
];

for (const [command, args, expected] of ARGUMENTS) {
  test(`arguments of a run by hand reach ${JSON.stringify([command, args])}, or are refused`, () => {
    const containers = [{ name: "a", image: "x", command, ...args && { args } }];
    const plan = trigger(TUTORIAL, { spec: { jobTemplate: { spec: { template: { spec: { containers } } } } } }, {
      args: ["-v", "x"],
    });
    if (expected === "lost") {
      assert(plan.kind === "refused", plan.kind);
      assertMatch(plan.message, /^arguments would be lost, .* write "\$@" into .* by --set NAME=VALUE$/);
    } else {
      assert(plan.kind === "create", plan.message);
      assertEquals(plan.job.spec?.template.spec?.containers[0]?.args, expected);
    }
  });
}

const REQUEST: Backfill = {
  id: "cli-1",
  from: at("06:00"),
  to: at("09:00"),
  reprocess: "failed",
  maxActive: 2,
  reverse: true,
  maxSlots: 1000,
};

function backfilled(state: "Running" | "Completed"): Partial<Given> {
  const asked = { id: "old", from: "2026-03-10T06:00:00Z", to: "2026-03-10T09:00:00Z" };
  const progress = writeBackfillProgress({
    ...REQUEST,
    id: "old",
    state,
    startTime: at("09:30"),
    slots: 3,
    active: [],
    ...NOTHING_COUNTED,
  });
  return { annotations: { [BACKFILL]: JSON.stringify(asked) }, status: { backfill: progress } };
}

test("a back-fill is asked for as the controller reads it", () => {
  const plan = planBackfill(cronJobOf(TUTORIAL, {}), REQUEST, at("10:00"));
  assert(plan.kind === "edit");
  const { backfill } = cronJobOf(TUTORIAL, { annotations: plan.edit.annotations as Record<string, string> });
  assertEquals(backfill, { kind: "backfill", backfill: REQUEST });
});

test("a back-fill that the controller could not read is not asked for", () => {
  const plan = planBackfill(cronJobOf(TUTORIAL, {}), { ...REQUEST, from: -1_000 }, at("10:00"));
  assert(plan.kind === "refused");
  assert(plan.message.includes("from must be a time from 1970 on"), plan.message);
});

test("a back-fill that would come to nothing, or would end another one, is refused", () => {
  const refusal = (api: Flavour, given: Partial<Given>) =>
    told(planBackfill(cronJobOf(api, given), REQUEST, at("10:00")));
  assertEquals(
    refusal(BATCH, {}),
    "refused: kube-controller-manager runs it, which knows no back-fills: `cronjob-controller adopt report -n default` makes it possible",
  );
  assertEquals(
    refusal(TUTORIAL, backfilled("Running")),
    "refused: back-fill old goes on: wait for its end, or give --cancel first",
  );
  assertEquals(typeof refusal(TUTORIAL, backfilled("Completed")), "object");
  assertEquals(String(refusal(TUTORIAL, { schedule: "nope" })).startsWith("refused: "), true);
});

test("a back-fill that goes on can be cancelled, and no other", () => {
  const cancel = (given: Partial<Given>) => told(planCancel(cronJobOf(TUTORIAL, given)));
  assertEquals(cancel(backfilled("Running")), { [BACKFILL]: null });
  assertEquals(cancel(backfilled("Completed")), "unchanged: has no back-fill that goes on");
  assertEquals(cancel({}), "unchanged: has no back-fill that goes on");
  const { status } = backfilled("Running");
  const backfill = { id: "old", from: "2026-03-10T06:00:00Z", to: "2026-03-10T09:00:00Z" };
  assertEquals(
    cancel({ status, spec: { backfill } }),
    "refused: spec.backfill asks for its back-fill: take it away there",
  );
});

test("once another was cancelled, the back-fill of the spec is not carried out again, but one of another id is", () => {
  const given = backfilled("Running");
  const inSpec = { id: "one", from: "2026-03-10T06:00:00Z", to: "2026-03-10T09:00:00Z" };
  const plan = planCancel(cronJobOf(TUTORIAL, { ...given, spec: { backfill: inSpec } }));
  assert(plan.kind === "edit");
  const annotations = plan.edit.annotations as Record<string, string>;
  const readingOf = (id: string, annotations?: Record<string, string>) =>
    cronJobOf(TUTORIAL, { spec: { backfill: { ...inSpec, id } }, annotations }).backfill.kind;
  assertEquals(readingOf("one", annotations), "none");
  assertEquals(readingOf("two", annotations), "backfill");
  assertEquals(readingOf("one"), "backfill");
});
