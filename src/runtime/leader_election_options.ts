import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../base/clock.ts";
import type { EventSink } from "./event_recorder.ts";
import type { LeaseTimings } from "./lease.ts";

/** The Lease that candidates compete for. */
export interface LeaseOptions extends LeaseTimings {
  readonly namespace: string;
  readonly name: string;
  /** How long giving it back may take. */
  readonly releaseMs: number;
  /** The annotations that a candidate writes into the Lease together with its name. @default none */
  readonly annotationsFor?: (identity: string) => Readonly<Record<string, string>>;
}

/** The parts of an election. */
export interface LeaderElectionOptions extends LeaseOptions {
  /** Not a guarded one: the lease itself must be written to become, and stay, its holder. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Distinguishes this candidate from all others, earlier runs of itself included. */
  readonly identity: string;
  /** Asked before the lease is given back: whether nothing that this leader wrote may still take effect. @default true */
  readonly mayRelease?: () => boolean;
  readonly recorder?: EventSink;
  /** Called as the leadership comes and goes, for metrics: with this candidate's own part in it. */
  readonly onChange?: (isLeader: boolean) => void;
  /** In [0, 1). @default {Math.random} */
  readonly random?: () => number;
}
