import { cronJobKey } from "../cronjob/api/cron_job.ts";
import { spreadOffsetMs } from "../cronjob/decision/spread.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { Load } from "./load.ts";
import { NO_OUTCOMES, type Outcomes, outcomesOf, sum } from "./outcomes.ts";
import type { Requests } from "./requests.ts";
import type { DoneRuns, SimulatedRuns, Span } from "./runs.ts";
import { type SimulatedCronJob, Simulator } from "./simulator.ts";

/** A CronJob among others. */
export interface Member extends SimulatedCronJob {
  /** Whether the length of its runs was measured; else it is assumed. */
  readonly isMeasured: boolean;
  /** Whether its controller reads this program's annotations. @default {true} */
  readonly readsAnnotations?: boolean;
  /** What one of its runs requests. */
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

/** What a CronJob of a fleet does. */
export interface Simulated {
  readonly member: Member;
  readonly runs: SimulatedRuns;
  readonly outcomes: Outcomes;
}

/** Many CronJobs, and what they do in a span. The simulation begins earlier: what runs into the span counts too. */
export class Fleet {
  readonly span: Span;
  readonly #simulator: Simulator;
  readonly #done = new Map<Member, Simulated>();
  readonly #outcomes = new WeakMap<DoneRuns, Outcomes>();

  constructor({ begin, span }: { begin: EpochMs; span: Span }) {
    this.span = span;
    this.#simulator = new Simulator({ from: begin, to: span.to });
  }

  /** What one of them does; worked out once. */
  simulate(member: Member): Simulated {
    return this.#done.getOrInsertComputed(member, () => {
      const runs = this.#simulator.simulate(member);
      const offsetMs = spreadOffsetMs(member.cronJob);
      const outcomes = runs.parts.map((part) => this.#outcomesOf(part, offsetMs)).reduce(sum, NO_OUTCOMES);
      return { member, runs, outcomes };
    });
  }

  /** Counted once for all that do the same: that begins with being spread alike. */
  #outcomesOf(part: DoneRuns, offsetMs: number): Outcomes {
    return this.#outcomes.getOrInsertComputed(part, () => outcomesOf(part, this.span, offsetMs));
  }

  /** What they add up to. Those that do the same are counted, and visited once. */
  loadOf(members: readonly Member[]): Load {
    const weights = new Map<DoneRuns, { count: number; cpuMillis: number; memoryBytes: number }>();
    for (const member of members) {
      for (const part of this.simulate(member).runs.parts) {
        const weight = weights.getOrInsertComputed(part, () => ({ count: 0, cpuMillis: 0, memoryBytes: 0 }));
        weight.count++;
        weight.cpuMillis += member.requests.cpuMillis;
        weight.memoryBytes += member.requests.memoryBytes;
      }
    }
    const load = new Load(this.span);
    for (const [part, { count, ...requests }] of weights) load.add(part, count, requests);
    return load;
  }
}

/** In the order of their names. */
export function byName(a: Member, b: Member): number {
  const [one, other] = [cronJobKey(a.cronJob), cronJobKey(b.cronJob)];
  return one < other ? -1 : one > other ? 1 : 0;
}
