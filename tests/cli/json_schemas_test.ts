import { assert, assertEquals } from "@std/assert";
import { type Schema, Validator } from "@cfworker/json-schema";
import type { AddCommand } from "../../src/cli/command.ts";
import { addBackfillCommand } from "../../src/cli/backfill/command.ts";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addLintCommand } from "../../src/cli/lint/command.ts";
import type { RunMark } from "../../src/view/run_marks.ts";
import { addNextCommand } from "../../src/cli/next/command.ts";
import { addPauseCommand, addResumeCommand } from "../../src/cli/pause/command.ts";
import { addSimulateCommand } from "../../src/cli/simulate/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { addTriggerCommand } from "../../src/cli/trigger/command.ts";
import { type Action, type NextRunView, type RunViewOutcome, STATES } from "../../src/view/cron_job_view.ts";
import type { Check, VerdictKind } from "../../src/view/explain/explanation.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";
import { BATCH, SeededCluster } from "./support/seeded_cluster.ts";

const FOLDER = new URL("../../docs/schemas/", import.meta.url);

// deno-lint-ignore no-explicit-any
async function schemaOf(name: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(new URL(`${name}.json`, FOLDER)));
}

/** Fails with the first thing that the schema of a command does not know. */
async function assertValid(command: string, text: string): Promise<void> {
  const validator = new Validator(await schemaOf(command) as Schema, "2020-12");
  validator.addSchema(await schemaOf("view") as Schema);
  const { valid, errors } = validator.validate(JSON.parse(text));
  assert(valid, `${errors.map(({ error, instanceLocation }) => `${instanceLocation}: ${error}`).join("\n")}\n${text}`);
}

const OK = { at: "09:00", ended: "09:02" };

async function withCluster(
  use: (run: (add: AddCommand, command: string, ...args: string[]) => Promise<string>) => Promise<void>,
): Promise<void> {
  await using cluster = await SeededCluster.start("10:20", [
    { name: "fine", jobs: [OK, { at: "10:00", ended: "10:02" }] },
    { name: "running", api: BATCH, jobs: [{ at: "10:00" }] },
    {
      name: "stuck",
      spec: { concurrencyPolicy: "Forbid", timeZone: "Europe/Berlin" },
      jobs: [{ at: "09:00", waiting: ["ImagePullBackOff", "no such image"] }],
    },
    { name: "broken", api: BATCH, jobs: [OK, { at: "10:00", ended: "10:01", failed: true, exitCode: 3 }] },
    { name: "broken", jobs: [OK, { at: "10:00", ended: "10:01", failed: true, exitCode: 3 }] },
    { name: "vacuum", spec: { pause: { until: "2026-03-13T08:00:00Z", reason: "migration" } } },
    { name: "invalid", api: BATCH, spec: { schedule: "0 0 31 2 *" } },
    {
      name: "refused",
      status: { lastScheduleTime: "2026-03-10T09:00:00Z" },
      warning: ["FailedCreate", "exceeded quota", "10:00"],
    },
  ]);
  await use(async (add, command, ...args) => (await cluster.run(add, command, "-o", "json", ...args)).stdout);
}

test("what status, history and explain print as JSON is what their schemas say", async () => {
  await withCluster(async (run) => {
    const status = await run(addStatusCommand, "status", "--all");
    await assertValid("status", status);
    const states = new Set(JSON.parse(status).map(({ state }: { state: string }) => state));
    assert(states.size >= 5, `the worlds have become too much alike: ${[...states]}`);
    for (const name of ["fine", "running", "stuck", "broken", "refused"]) {
      await assertValid("history", await run(addHistoryCommand, "history", name));
      await assertValid("explain", await run(addExplainCommand, "explain", name));
    }
    await assertValid("history", await run(addHistoryCommand, "history", "-A"));
    await assertValid("explain", await run(addExplainCommand, "explain", "vacuum", "--at", "2026-03-11T00:00:00Z"));
  });
});

test("what trigger, pause, resume and backfill print as JSON is what their schemas say", async () => {
  await withCluster(async (run) => {
    await assertValid("outcomes", await run(addPauseCommand, "pause", "--all", "--dry-run"));
    await assertValid("outcomes", await run(addPauseCommand, "pause", "fine", "stuck"));
    await assertValid("outcomes", await run(addResumeCommand, "resume", "--all", "--by", "none"));
    await assertValid("outcomes", await run(addTriggerCommand, "trigger", "fine", "running"));
    const range = ["backfill", "stuck", "--from", "8h"] as const;
    await assertValid("backfill-preview", await run(addBackfillCommand, ...range, "--reprocess", "all", "--dry-run"));
    const several = ["backfill", "stuck", "fine", "--from", "1h", "--dry-run"] as const;
    await assertValid("backfill-preview", await run(addBackfillCommand, ...several));
    await assertValid("outcomes", await run(addBackfillCommand, ...range));
    await assertValid("outcomes", await run(addBackfillCommand, "backfill", "stuck", "--cancel"));
  });
});

const MANIFESTS = `
apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: 30 2 * * *
  timeZone: Europe/Berlin
  exclude: [{dates: ["2026-03-30"]}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: bad}
spec: {schedule: 0 24 * * *, suspend: true}
---
a: [
`;

test("what simulate prints as JSON is what its schema says", async () => {
  const fleet = Array.from({ length: 6 }, (_, i) => `
apiVersion: batch/v1
kind: CronJob
metadata: {name: crowd-${i}}
spec: {schedule: 0 * * * *, concurrencyPolicy: Forbid, suspend: ${i === 0}}
`).join("---");
  await withCluster(async (run) => {
    const path = await Deno.makeTempFile({ suffix: ".yaml" });
    try {
      await Deno.writeTextFile(path, fleet);
      const compared = ["simulate", "-f", path, "--with-cluster", "--max-starts", "1"] as const;
      const report = await run(addSimulateCommand, ...compared, "--durations", "90m");
      await assertValid("simulate", report);
      const { before, advice, limits, objects } = JSON.parse(report);
      const shown = [before, advice[0], limits[0], objects.find(({ rest }: { rest?: object }) => rest)];
      assertEquals(shown.filter((part) => part === undefined), [], "the world has become too quiet");
    } finally {
      await Deno.remove(path);
    }
  });
});

test("what next and lint print as JSON is what their schemas say", async () => {
  const clock = new FakeClock("2026-03-28T00:00:00Z");
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(path, MANIFESTS);
    const next = (...args: string[]) =>
      runCommand((program) => addNextCommand(program, clock), "next", ...args, "-o", "json");
    const lint = () => runCommand((program) => addLintCommand(program, clock), "lint", path, "-o", "json");
    await assertValid("next", (await next("30 2 * * *", "-z", "Europe/Berlin", "-n", "300")).stdout);
    const { stdout } = await next("-f", path);
    assert(stdout.includes('"excluded"') && stdout.includes('"error"') && stdout.includes('"skipped"'), stdout);
    await assertValid("next", stdout);
    const found = (await lint()).stdout;
    assert(JSON.parse(found).findings.length >= 2, found);
    await assertValid("lint", found);
  } finally {
    await Deno.remove(path);
  }
});

/** Every word that the program may say, by type: what is missing here, or too much, is no program. */
const VERDICTS: Readonly<Record<VerdictKind, true>> = {
  Succeeded: true,
  Failed: true,
  Running: true,
  Pending: true,
  Started: true,
  Skipped: true,
  Waiting: true,
  Missed: true,
  NotStarted: true,
  Overdue: true,
  NotScheduled: true,
  Excluded: true,
  NotFollowed: true,
  Unknown: true,
  WillRun: true,
  WillNotRun: true,
};
const OUTCOMES: Readonly<Record<RunViewOutcome, true>> = {
  Running: true,
  Pending: true,
  Succeeded: true,
  Failed: true,
  Waiting: true,
  Skipped: true,
  Missed: true,
  Unknown: true,
};
const ACTIONS: Readonly<Record<Action["do"], true>> = {
  DeleteJob: true,
  UnsuspendJob: true,
  ReadLogs: true,
  Wait: true,
  RunNow: true,
  Resume: true,
  EndPauseInSpec: true,
  CorrectPause: true,
  CorrectManaged: true,
  ResumeHalted: true,
  Unsuspend: true,
  SuspendInSpec: true,
  Release: true,
  CorrectSpec: true,
  CorrectImage: true,
  LetJobBeCreated: true,
  CreateMissing: true,
  SetPendingTimeout: true,
  SetStartingDeadline: true,
  LookAtController: true,
};
const EXPECTED: Readonly<Record<Extract<NextRunView, { kind: "known" }>["expected"], true>> = {
  Start: true,
  Wait: true,
  Replace: true,
};
const MARKS: Readonly<Record<RunMark, true>> = {
  FirstOfTwo: true,
  SecondOfTwo: true,
  OnlyFirst: true,
  OnlySecond: true,
  AfterGap: true,
  AfterExclusion: true,
};
const RESULTS: Readonly<Record<Check["result"], true>> = { ok: true, FAIL: true, "-": true, "?": true };

test("the schemas know every word that the program may say, and no others", async () => {
  const { $defs: { state, run, nextRun, action } } = await schemaOf("view");
  const { items: { properties: { verdict, checks, actions } } } = await schemaOf("explain");
  const { items: { properties: { outcome } } } = await schemaOf("history");
  const { oneOf: [{ properties: { next } }] } = await schemaOf("next");
  assertEquals({
    states: state.enum,
    outcomes: run.properties.outcome.enum,
    ofHistory: outcome.enum,
    actions: action.properties.do.enum,
    ofExplain: actions.items.properties.do.enum,
    expected: nextRun.oneOf[0].properties.expected.enum,
    verdicts: verdict.properties.kind.enum,
    results: checks.items.properties.result.enum,
    marks: next.items.properties.clockChange.enum,
  }, {
    states: [...STATES],
    outcomes: Object.keys(OUTCOMES),
    ofHistory: Object.keys(OUTCOMES),
    actions: Object.keys(ACTIONS),
    ofExplain: Object.keys(ACTIONS),
    expected: Object.keys(EXPECTED),
    verdicts: Object.keys(VERDICTS),
    results: Object.keys(RESULTS),
    marks: Object.keys(MARKS),
  });
});
