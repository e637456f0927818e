import type { KubeClient } from "../kube/client.ts";
import type { HttpKubeClient } from "../kube/http_client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import type { HealthCheck } from "../runtime/health.ts";
import { LeaderElection } from "../runtime/leader_election.ts";
import type { Manager } from "../runtime/manager.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Leading } from "../runtime/take_over.ts";
import { ConfigError } from "./errors.ts";
import type { LeadershipOptions, LeaseTimings } from "./leadership_options.ts";

/** Who may write, and when the work begins. */
export interface Leadership {
  /** Writes only while this process may. */
  readonly client: KubeClient;
  /** For parts that stand by until this process leads; undefined where it leads from the start. */
  readonly leading: Leading | undefined;
  /** Tells how the parts of the manager are that were added by `start`. */
  readonly checks: () => readonly HealthCheck[];
  /** Adds parts that stand by until this process leads. */
  start(...parts: Runnable[]): void;
}

/** Without `--leader-elect`, this process leads from the start. */
export function leadershipOf(
  { leaderElect, leaderElectionId: name, leaderElectionNamespace }: LeadershipOptions,
  { manager, client, clock, recorder, namespace, timings, onChange }: {
    manager: Manager;
    client: HttpKubeClient;
    clock: Clock;
    recorder: EventSink;
    /** That the connection names. */
    namespace?: string;
    timings: LeaseTimings;
    onChange: (isLeader: boolean) => void;
  },
): Leadership {
  const parts: Runnable[] = [];
  const start = (...more: Runnable[]) => {
    for (const part of more) manager.add(part);
    parts.push(...more);
  };
  const checksOfParts = () => parts.flatMap(({ health = [] }) => health);
  if (!leaderElect) return { client, leading: undefined, checks: checksOfParts, start };

  const leaseNamespace = leaderElectionNamespace || namespace;
  if (!leaseNamespace) {
    throw new ConfigError(
      "--leader-elect needs a namespace for its Lease, and neither a Pod nor a context names one; give " +
        "--leader-election-namespace",
    );
  }
  const identity = `${Deno.hostname()}_${crypto.randomUUID()}`;
  const election = new LeaderElection({
    client,
    clock,
    namespace: leaseNamespace,
    name,
    identity,
    recorder,
    onChange,
    ...timings,
  });
  // The parts start at once, and stand by; they stop before the leadership is given up.
  manager.add({ name: election.name, run: (signal) => election.run(signal) });
  let hasLed = false;
  election.ready().then(() => hasLed = true);
  const check: HealthCheck = {
    name: "leader-election",
    live: false,
    check: () => {
      if (election.isLeader) return { ok: true, detail: "leading" };
      if (hasLed) return { ok: false, detail: "the lease is no longer sure" };
      return { ok: true, detail: `standing by, ${election.leader ?? "nobody known"} leads` };
    },
  };
  return {
    client: client.guarded(election.guard),
    leading: election,
    checks: () => [check, ...checksOfParts()],
    start,
  };
}
