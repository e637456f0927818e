import { isDeepStrictEqual } from "node:util";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { releaseEdit } from "../adoption/adoption_edits.ts";
import { annotationsToWrite } from "../status/annotation_writes.ts";
import { type Child, readChildren } from "../api/job.ts";
import { type Gate, passGate } from "./blockers.ts";
import { beyondHistory } from "./history.ts";
import { jobFor, type Occasion } from "./job_template.ts";
import { findRuns, type Runs } from "./due_times.ts";
import { handOvers } from "./ownership.ts";
import { regimeOf } from "../api/stewardship.ts";
import { reportOf } from "../status/report.ts";
import { readSettings, type Settings } from "../api/settings.ts";
import { findSince } from "./start_point.ts";
import { statusFor } from "../status/status.ts";
import { pendingTrigger } from "./trigger.ts";
import { judge, type Verdict } from "./admission.ts";
import type { Creation, Plan, World } from "./plan.ts";

/** What a decision rests on, found out step by step. */
export interface Findings {
  readonly world: World;
  readonly settings: Settings;
  readonly children: readonly Child[];
  readonly gate: Gate;
  readonly runs: Runs;
  readonly scheduled: Verdict<Occasion & { trigger: "Schedule" }>;
  readonly manual: Verdict<Occasion & { trigger: "Manual" }>;
}

/**
 * Decides what to do about one CronJob: the Kubebuilder tutorial's seven steps, as a pure function of the world. Deciding
 * again once the plan is carried out changes nothing.
 */
export function decide(world: World): Plan {
  // 1. Load the CronJob.
  const settings = readSettings(world.api, world.cronJob);

  // 2. List its Jobs; they tell which runs are active, and from when on runs can be due.
  const children = readChildren(world.api, world.jobs);
  const since = findSince(world, settings, children);

  // 3. Clean up old Jobs according to the history limits.
  const regime = regimeOf(world.api, world.cronJob);
  const deletions = beingDeleted(world) || !regime.keepsStatus ? [] : beyondHistory(settings, children);

  // 4. Stop if it is suspended, or its schedule can't be followed.
  const gate = passGate({ ...world, settings });

  // 5. Find the missed and the next run.
  const runs = findRuns(world, settings, { gate, since });

  // 6. Run if on schedule, inside the deadline and allowed by the concurrency policy.
  const { due } = runs.slots;
  const occasion = due === undefined ? undefined : { trigger: "Schedule" as const, scheduledTime: due };
  const scheduled = judge(world, { settings, children, occasion });
  const manual = judge(world, { settings, children, occasion: canRun(gate) ? pendingTrigger(world) : undefined });
  const findings: Findings = { world, settings, children, gate, runs, scheduled, manual };

  // 7. Tell in the status what was found, and look again at the next run.
  const { status, events } = statusFor(findings);
  const common = {
    creation: creationFor(findings),
    handOvers: handOvers(world, regime, children.filter((child) => !deletions.includes(child))),
    release: regime.ends && !beingDeleted(world) ? releaseEdit(world.cronJob) : undefined,
    deletions,
    requeueAt: requeueAt(findings),
    decidedUntil: newestDecision(findings),
    report: reportOf(findings, status),
  };
  if (!regime.keepsStatus) return { ...common, events: gate.events };
  return {
    ...common,
    status: isDeepStrictEqual(status, world.cronJob.status ?? {}) ? undefined : status,
    annotations: annotationsToWrite(findings),
    events,
  };
}

/** A closed gate keeps back what a schedule asks for, but not what a person does, if Jobs can be made at all. */
function canRun(gate: Gate): boolean {
  return gate.open || !gate.isTotal;
}

function beingDeleted({ cronJob }: World): boolean {
  return cronJob.metadata.deletionTimestamp !== undefined;
}

/** The scheduled one first: by the time it has been created, the policy may no longer admit the other. */
function creationFor({ world, settings, scheduled, manual }: Findings): Creation | undefined {
  const verdict = scheduled.kind === "start" ? scheduled : manual;
  if (verdict.kind !== "start") return undefined;
  const { occasion, replaces } = verdict;
  return { job: jobFor({ ...world, settings, occasion }), occasion, replaces };
}

function requeueAt({ world, settings, gate, runs: { slots, offsetMs, stopped } }: Findings): EpochMs | undefined {
  if (!gate.open) return gate.requeueAt;
  if (stopped) return undefined;
  if (slots.next !== undefined) return slots.next + offsetMs;
  // The last run is behind: look again only to say that it is over.
  return settings.endTime !== undefined && settings.endTime >= world.now ? settings.endTime + 1 : undefined;
}

function newestDecision({ runs, scheduled }: Findings): EpochMs | undefined {
  if (runs.stopped) return undefined;
  switch (scheduled.kind) {
    case "none":
      return runs.slots.tooLate;
    case "done":
    case "skip":
    case "wait":
      return scheduled.occasion.scheduledTime;
    case "start":
    case "failed":
      return undefined;
  }
}
