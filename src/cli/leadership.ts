import type { KubeClient } from "../kube/client.ts";
import type { HttpKubeClient } from "../kube/http_client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import { Group } from "../runtime/group.ts";
import { leadershipChecks } from "../runtime/health.ts";
import type { HealthCheck } from "../runtime/health.ts";
import { LeaderElection } from "../runtime/leader_election.ts";
import type { Manager } from "../runtime/manager.ts";
import { OpenWrites } from "../runtime/open_writes.ts";
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
  /** Adds a part that stands by until this process leads. They start together, and stop together. */
  start(part: Runnable): void;
}

/** Without `--leader-elect`, this process leads from the start. */
export function leadershipOf(
  { leaderElect, leaderElectionId: name, leaderElectionNamespace }: LeadershipOptions,
  { manager, client, clock, recorder, namespace, timings, releaseMs, onChange }: {
    manager: Manager;
    client: HttpKubeClient;
    clock: Clock;
    recorder: EventSink;
    /** That the connection names. */
    namespace?: string;
    timings: LeaseTimings;
    /** How long giving the Lease back may take. */
    releaseMs: number;
    onChange: (isLeader: boolean) => void;
  },
): Leadership {
  const group = new Group();
  const start = (part: Runnable) => group.add(part);
  if (!leaderElect) {
    manager.add(group);
    return { client, leading: undefined, checks: () => group.health, start };
  }

  const leaseNamespace = leaderElectionNamespace || namespace;
  if (!leaseNamespace) {
    throw new ConfigError(
      "--leader-elect needs a namespace for its Lease, and neither a Pod nor a context names one; give " +
        "--leader-election-namespace",
    );
  }
  const identity = `${Deno.hostname()}_${crypto.randomUUID()}`;
  const writes = new OpenWrites(clock);
  const election = new LeaderElection({
    client,
    clock,
    namespace: leaseNamespace,
    name,
    identity,
    recorder,
    onChange,
    ...timings,
    releaseMs,
    mayRelease: () => writes.areOver,
  });
  // The parts start at once, and stand by; they stop before the leadership is given up.
  manager.add({ name: election.name, run: (signal) => election.run(signal) }).add(group);
  const checks = leadershipChecks(election);
  return {
    client: client.guarded(() => {
      election.guard();
      return writes.begin();
    }),
    leading: election,
    checks: () => [...checks, ...group.health],
    start,
  };
}
