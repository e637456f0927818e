import { spreadOffsetMs } from "../cronjob/decision/spread.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { Load } from "./load.ts";
import { type Outcomes, outcomesOf } from "./outcomes.ts";
import type { Requests } from "./requests.ts";
import type { SimulatedRuns, Span } from "./runs.ts";
import { simulate, type SimulatedCronJob, Turns } from "./simulator.ts";

/** A CronJob among others. */
export interface Member extends SimulatedCronJob {
  /** Whether the length of its runs was measured; else it is assumed. */
  readonly isMeasured: boolean;
  /** Whether its controller reads this program's annotations. @default {true} */
  readonly readsAnnotations?: boolean;
  /** The requests of one of its runs. */
  readonly requests: Requests;
}

/** A CronJob before and after manifests are applied. */
export interface Entry {
  readonly change: "New" | "Changed" | "Unchanged";
  /** Undefined for one that is new. */
  readonly before: Member | undefined;
  readonly after: Member;
  /** Sentences about the annotations in its manifest, for people. */
  readonly notes: readonly string[];
}

/** When a simulation begins, and the span that is looked at. */
export interface Times {
  readonly begin: EpochMs;
  readonly span: Span;
}

/** The simulated runs of a CronJob of a fleet. */
export interface Simulated {
  readonly member: Member;
  readonly runs: SimulatedRuns;
  readonly outcomes: Outcomes;
}

/** Simulates the members in a span. It begins earlier: what runs into the span counts too. */
export async function simulateAll(members: readonly Member[], { begin, span }: Times): Promise<Simulated[]> {
  const simulated: Simulated[] = [];
  const turns = new Turns();
  for (const member of members) {
    const runs = await simulate(member, { from: begin, to: span.to }, turns);
    simulated.push({ member, runs, outcomes: outcomesOf(runs, span, spreadOffsetMs(member.cronJob)) });
  }
  return simulated;
}

/** Returns the sum of their starts and active runs. */
export function loadOf(simulated: readonly Simulated[], span: Span): Load {
  const load = new Load(span);
  for (const { runs, member: { requests } } of simulated) load.add(runs, requests);
  return load;
}
