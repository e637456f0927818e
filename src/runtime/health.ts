import type { Controller } from "./controller.ts";
import type { Informer } from "./informer.ts";
import type { LeaderElection } from "./leader_election.ts";
import type { KubeObject } from "../kube/object.ts";
import { firstLineOf } from "../telemetry/message_of.ts";
import type { HealthCheck } from "./health_check.ts";

/** Where a key waits longer than this for a worker, work does not keep up. */
const SLOW_WAIT_MS = 60_000;
/** Work on a key that goes on for longer than this will not end by itself: every request has its own time limit. */
const STUCK_WORK_MS = 30 * 60_000;

/** Returns checks of readiness: whether the cache has had a first whole list, and whether it is being kept up to date. */
export function informerChecks(
  informer: Pick<Informer<KubeObject>, "groupResource" | "synced" | "connected" | "error">,
): HealthCheck[] {
  const { groupResource } = informer;
  return [
    {
      name: `cache/${groupResource}`,
      live: false,
      check: () =>
        informer.synced ? { ok: true } : { ok: false, detail: reasonOf(informer.error, "no whole list yet") },
    },
    {
      name: `watch/${groupResource}`,
      live: false,
      // A watch that the server ended in order is opened again at once: only an error keeps it closed.
      check: () => {
        const fails = !informer.connected && (informer.error !== undefined || !informer.synced);
        return fails ? { ok: false, detail: reasonOf(informer.error, "not opened yet") } : { ok: true };
      },
    },
  ];
}

/** Returns checks: whether the keys of a controller get their turn, and the work on them ends. */
export function queueChecks(controller: Pick<Controller, "name" | "queue" | "isWorking">): HealthCheck[] {
  const { name, queue } = controller;
  return [
    {
      name: `queue/${name}`,
      live: false,
      check: () => {
        if (!controller.isWorking) return { ok: true, detail: "not at work" };
        const detail = `${queue.depth} waiting, ${queue.processing} at work`;
        if (queue.longestWaitMs <= SLOW_WAIT_MS) return { ok: true, detail };
        return { ok: false, detail: `${detail}, one for ${Math.round(queue.longestWaitMs / 1_000)} s` };
      },
    },
    {
      name: `work/${name}`,
      live: true,
      check: () =>
        queue.longestWorkMs <= STUCK_WORK_MS
          ? { ok: true }
          : { ok: false, detail: `at work on one key for ${Math.round(queue.longestWorkMs / 60_000)} min` },
    },
  ];
}

/** A leader that does not notice within this time that its Lease ran out never will. client-go's number. */
const UNNOTICED_LOSS_MS = 20_000;

/** Returns checks: whether this process leads or stands by, and whether the election itself goes on. */
export function leadershipChecks(
  election: Pick<LeaderElection, "isLeader" | "hasLed" | "leader" | "overdueMs">,
): HealthCheck[] {
  return [
    {
      name: "leader-election",
      live: false,
      check: () => {
        if (election.isLeader) return { ok: true, detail: "leading" };
        if (election.hasLed) return { ok: false, detail: "the lease is no longer sure" };
        return { ok: true, detail: `standing by, ${election.leader ?? "no known replica"} leads` };
      },
    },
    {
      name: "leader-election-alive",
      live: true,
      check: () => {
        const { overdueMs } = election;
        if (overdueMs <= UNNOTICED_LOSS_MS) return { ok: true };
        return { ok: false, detail: `the lease ran out ${Math.round(overdueMs / 1_000)} s ago, and it goes on` };
      },
    },
  ];
}

function reasonOf(error: unknown, otherwise: string): string {
  return error === undefined ? otherwise : firstLineOf(error);
}
