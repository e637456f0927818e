import { cronJobKey } from "../cronjob/api/cron_job.ts";
import { spreadOffsetMs } from "../cronjob/decision/spread.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { Load } from "./load.ts";
import { type Outcomes, outcomesOf } from "./outcomes.ts";
import type { Requests } from "./requests.ts";
import type { SimulatedRuns, Span } from "./runs.ts";
import { simulate, type SimulatedCronJob } from "./simulator.ts";

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

/** The simulated runs of a CronJob of a fleet. */
export interface Simulated {
  readonly member: Member;
  readonly runs: SimulatedRuns;
  readonly outcomes: Outcomes;
}

/** Many CronJobs, and what they do in a span. The simulation begins earlier: what runs into the span counts too. */
export class Fleet {
  readonly span: Span;
  readonly #begin: EpochMs;
  readonly #done = new Map<Member, Simulated>();

  constructor({ begin, span }: { begin: EpochMs; span: Span }) {
    this.span = span;
    this.#begin = begin;
  }

  /** Simulates the members; each is worked out once. */
  async simulate(members: readonly Member[]): Promise<Simulated[]> {
    const simulated: Simulated[] = [];
    for (const member of members) {
      const known = this.#done.get(member) ?? await this.#simulated(member);
      this.#done.set(member, known);
      simulated.push(known);
    }
    return simulated;
  }

  async #simulated(member: Member): Promise<Simulated> {
    const runs = await simulate(member, { from: this.#begin, to: this.span.to });
    return { member, runs, outcomes: outcomesOf(runs, this.span, spreadOffsetMs(member.cronJob)) };
  }

  /** The sum of their starts and active runs. */
  loadOf(simulated: readonly Simulated[]): Load {
    const load = new Load(this.span);
    for (const { runs, member: { requests } } of simulated) load.add(runs, requests);
    return load;
  }
}

/** In the order of their names. */
export function byName(a: Member, b: Member): number {
  const [one, other] = [cronJobKey(a.cronJob), cronJobKey(b.cronJob)];
  return one < other ? -1 : one > other ? 1 : 0;
}
