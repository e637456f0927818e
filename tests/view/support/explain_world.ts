import { type Flavour, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { explain, type Question } from "../../../src/view/explain/explain.ts";
import type { EventFacts } from "../../../src/view/event_facts.ts";
import type { LeaseFacts } from "../../../src/view/lease_facts.ts";
import type { PodFacts } from "../../../src/view/pod_facts.ts";
import type { Runner } from "../../../src/view/runner.ts";
import { timeZone } from "../../../src/schedule/time_zone.ts";
import { at, type Given, world } from "../../cronjob/support/world.ts";

/** A question about a CronJob, and the CronJob. */
export interface Asked extends Omit<Given, "now"> {
  api?: Flavour;
  /** @default 10:30 */
  now?: string;
  pods?: PodFacts[];
  events?: EventFacts[];
  lease?: LeaseFacts;
  runner?: Runner;
  /** A time as in `now`, or `2026-03-29 02:30` by the wall clock of its zone. */
  at?: string;
  job?: string;
}

export const DEADLINE = { startingDeadlineSeconds: 60 };
export const FORBID = { concurrencyPolicy: "Forbid" as const };
export const QUEUE = { concurrencyPolicy: "Queue" as const };

/** A record of a run in a status. */
export const run = (clock: string, outcome: string, reason?: string) => ({
  scheduledTime: new Date(at(clock)).toISOString().replace(".000", ""),
  trigger: "Schedule" as const,
  outcome: outcome as "Skipped",
  ...(reason !== undefined && { reason }),
});

/** Explains a time, or a Job, of a CronJob. */
export function explainWorld({ api = TUTORIAL, pods, events, at: clock, job, lease, runner, ...given }: Asked) {
  const { cronJob, jobs, now } = world(api, { now: "10:30", ...given });
  const question = clock === undefined ? { job } : questionAt(clock, given.spec?.timeZone ?? "UTC");
  return explain({ cronJob, jobs, pods, events, runner, now }, { ...question, lease });
}

/** Reads a time as `Asked` has it. */
export function questionAt(clock: string, zone: string): Question {
  if (!/^\d{4}-/.test(clock)) return { at: at(clock) };
  const wall = Date.parse(`${clock.replace(" ", "T")}Z`);
  return { at: timeZone(zone).firstInstantAt(wall), wall };
}
