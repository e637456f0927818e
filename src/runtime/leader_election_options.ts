import type { KubeClient } from "../kube/client.ts";
import type { Logger } from "../telemetry/logging.ts";
import type { Clock } from "./clock.ts";
import type { EventSink } from "./event_recorder.ts";
import { checkTimings } from "./lease.ts";

/** What an election is made with. */
export interface LeaderElectionOptions {
  /** Not a guarded one: the lease itself must be written to become, and stay, its holder. */
  client: KubeClient;
  clock: Clock;
  /** The Lease that the candidates compete for. */
  namespace: string;
  name: string;
  /** Distinguishes this candidate from all others, earlier runs of itself included. */
  identity: string;
  /** How long others wait, since they last saw it renewed, before they take the lease. @default {15_000} */
  leaseDurationMs?: number;
  /** How long the leader goes on without being able to renew. @default {10_000} */
  renewDeadlineMs?: number;
  /** Between attempts to get the lease, or to renew it. @default {2_000} */
  retryPeriodMs?: number;
  /** How long giving the lease back may take. @default {2_000} */
  releaseMs?: number;
  /** Asked before the lease is given back: whether nothing that this leader wrote may still take effect. @default true */
  mayRelease?: () => boolean;
  recorder?: EventSink;
  /** Called as the leadership comes and goes, for metrics: with this candidate's own part in it. */
  onChange?(isLeader: boolean): void;
  /** In [0, 1). @default {Math.random} */
  random?: () => number;
  logger?: Logger;
}

/** The options with nothing left open, but for who hears of it. */
export type ElectionSettings = Required<Omit<LeaderElectionOptions, "recorder" | "onChange" | "logger">>;

/** Fills in client-go's timings: 15 s, 10 s and 2 s. @throws {RangeError} if the times leave no room for each other */
export function withDefaults(options: LeaderElectionOptions): ElectionSettings {
  const settings = {
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
    releaseMs: 2_000,
    mayRelease: () => true,
    random: Math.random,
    ...withoutUndefined(options),
  };
  checkTimings(settings);
  return settings;
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
