import { assert, assertEquals } from "@std/assert";
import { type Lease, LEASES } from "../../../src/kube/resource.ts";
import { UnreachableError } from "../../../src/kube/unreachable_error.ts";
import { LeaderElection } from "../../../src/runtime/leader_election.ts";
import type { LeaderElectionOptions } from "../../../src/runtime/leader_election_options.ts";
import type { ObjectStore } from "../../support/object_store.ts";
import { QuickClock } from "../../support/quick_clock.ts";
import { FakeApi, type Intercept } from "./fake_api.ts";

/** Those that the flags have by default. */
export const TIMINGS = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, releaseMs: 2_000 };

export const START = Date.parse("2026-01-01T00:00:00Z");

/** One API server, and candidates that each have a clock of their own, which run side by side. */
export class World implements AsyncDisposable {
  readonly api = new FakeApi();
  readonly candidates: Candidate[] = [];

  add(options: Partial<LeaderElectionOptions> = {}): Candidate {
    const candidate = new Candidate(this.api.store, `candidate-${this.candidates.length}`, options);
    this.candidates.push(candidate);
    return candidate;
  }

  /** Lets time pass for all of them, in steps small enough to be called at the same time. */
  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      for (const { clock, stopped } of this.candidates) {
        if (stopped) clock.pause(100);
        else await clock.advance(100);
      }
      assert(this.candidates.filter(({ election }) => election.isLeader).length <= 1, "two candidates lead");
    }
  }

  get lease(): Lease {
    return this.api.all(LEASES)[0] as Lease;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const candidate of this.candidates) {
      candidate.stopped = false;
      candidate.intercept = undefined;
      await candidate.clock.advance(0);
      candidate.end();
      await candidate.clock.advance(20_000);
      await candidate.ended;
      assertEquals(candidate.clock.pending, 0);
    }
  }
}

export class Candidate {
  readonly clock: QuickClock;
  readonly election: LeaderElection;
  readonly changes: boolean[] = [];
  /** Its connection to the server. */
  intercept: Intercept | undefined;
  readonly requests: readonly string[];
  /** By SIGSTOP. */
  stopped = false;
  readonly #stop = new AbortController();
  /** With what it ended, if not in peace. */
  readonly ended: Promise<unknown>;

  constructor(store: ObjectStore, identity: string, options: Partial<LeaderElectionOptions>) {
    this.clock = options.clock as QuickClock | undefined ?? new QuickClock(START);
    const connection = new FakeApi(undefined, store);
    connection.intercept = (...request) => this.intercept?.(...request);
    this.requests = connection.requests;
    this.election = new LeaderElection({
      ...TIMINGS,
      namespace: "system",
      name: "lock",
      identity,
      random: () => 0,
      onChange: (leads) => this.changes.push(leads),
      ...options,
      client: options.client ?? connection,
      clock: this.clock,
    });
    this.ended = this.election.run(this.#stop.signal).then(() => undefined, (error) => error);
  }

  end(): void {
    this.#stop.abort();
  }
}

export const unreachable: Intercept = () => {
  throw new UnreachableError("down");
};
