import type { KubeClient } from "../kube/client.ts";
import type { HttpKubeClient } from "../kube/http_client.ts";
import type { Clock } from "../base/clock.ts";
import type { EventSink } from "./event_recorder.ts";
import { Group } from "./group.ts";
import { leadershipChecks } from "./health.ts";
import type { HealthCheck } from "./health_check.ts";
import { LeaderElection } from "./leader_election.ts";
import type { LeaseOptions } from "./leader_election_options.ts";
import { OpenWrites } from "./open_writes.ts";
import type { Runnable } from "./runnable.ts";
import type { Leading } from "./take_over.ts";

/** The right to write, and the instant at which the work begins. */
export interface Leadership {
  /** Writes only while this process may. */
  readonly client: KubeClient;
  /** For parts that stand by until this process leads; undefined where it leads from the start. */
  readonly leading: Leading | undefined;
  /** For a manager, in this order: the election, and all that `start` added. */
  readonly parts: readonly Runnable[];
  /** Reports on the parts that `start` added. */
  readonly checks: () => readonly HealthCheck[];
  /** Adds a part that stands by until this process leads. All stop together. */
  start(part: Runnable): void;
  /** Ends one of these parts before the others. Resolves when it has ended. */
  stop(part: Runnable): Promise<void>;
}

/**
 * Returns what the parts of the program need to work only while this process leads: a client that is guarded, and a way to
 * start with it. Without a Lease, it leads from the start.
 */
export function leadershipOf(
  lease: LeaseOptions | undefined,
  { client, clock, recorder, onChange }: {
    client: HttpKubeClient;
    clock: Clock;
    recorder: EventSink;
    onChange: (isLeader: boolean) => void;
  },
): Leadership {
  const group = new Group(clock);
  const stages = { start: (part: Runnable) => group.add(part), stop: (part: Runnable) => group.remove(part) };
  if (lease === undefined) return { client, leading: undefined, parts: [group], checks: () => group.health, ...stages };

  const identity = `${Deno.hostname()}_${crypto.randomUUID()}`;
  const writes = new OpenWrites(clock);
  const election = new LeaderElection({
    client,
    clock,
    identity,
    recorder,
    onChange,
    ...lease,
    mayRelease: () => writes.areOver,
  });
  const checks = leadershipChecks(election);
  return {
    client: client.guarded(() => {
      election.guard();
      return writes.begin();
    }),
    leading: election,
    // Parts that stand by start at once, and stop before the leadership is released.
    parts: [{ name: election.name, run: (signal) => election.run(signal) }, group],
    checks: () => [...checks, ...group.health],
    ...stages,
  };
}
