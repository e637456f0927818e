import type { RunEvent } from "../../cronjob/reporter.ts";
import { heartbeat } from "../../notifications/heartbeat.ts";
import { PingQueue, type PingQueueOptions } from "../../notifications/ping_queue.ts";
import { pingFor, type PingServer } from "../../notifications/ping_address.ts";
import type { FollowedCronJobs } from "../../notifications/run_notifier.ts";
import type { HealthCheck } from "../../runtime/health_check.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import type { Leading } from "../../runtime/take_over.ts";
import { VERSION } from "../version.ts";

export interface PingsOptions extends Omit<PingQueueOptions, "server" | "userAgent"> {
  /** Undefined: none is pinged. */
  readonly server: PingServer | undefined;
  /** Of the check for this program itself. */
  readonly slug: string;
  readonly checks: () => readonly HealthCheck[];
  readonly leading?: Leading | undefined;
  /** The controllers whose runs are pinged: they may change at any time. */
  readonly followed: readonly FollowedCronJobs[];
  /** Must not throw. @default {unknown} */
  readonly exitCodeOf?: (event: RunEvent) => Promise<number | undefined>;
}

/** Pings for this program and for labelled CronJobs: the parts that send them, and what is to be called of each run. */
export function pingsOf({ server, followed, exitCodeOf, slug, checks, leading, ...options }: PingsOptions): {
  readonly parts: readonly Runnable[];
  readonly onRun: (event: RunEvent) => void;
} {
  if (server === undefined) return { parts: [], onRun: () => {} };
  const queue = new PingQueue({ ...options, server, userAgent: `cronjob-controller/${VERSION}`, firstSlug: slug });
  const onRun = (event: RunEvent) => {
    const of = followed.find(({ flavour }) => flavour.apiVersion === event.apiVersion);
    const cronJob = of?.cronJobs.store.get(event.cronJob);
    const add = (exitCode: number | undefined) => {
      const ping = cronJob && pingFor(cronJob, event, exitCode);
      if (ping) queue.add(ping);
    };
    const isAsked = cronJob && exitCodeOf && event.outcome === "failed" && pingFor(cronJob, event, undefined);
    if (isAsked) exitCodeOf(event).then(add);
    else add(undefined);
  };
  const { clock } = options;
  return { parts: [queue, heartbeat({ clock, pings: queue, slug, checks, leading })], onRun };
}
