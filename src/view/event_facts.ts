import type { DeepReadonly } from "../kube/object.ts";
import type { Event } from "../kube/resource.ts";
import { eventSuffix } from "../runtime/event_name.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";

/** The facts of one Event about a CronJob or a Job of it. */
export interface EventFacts {
  readonly name: string;
  readonly regardingUid: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
}

/** Selects Events about what is wrong with CronJobs, or with Jobs: no selector says "of either kind". */
export function warningsAbout(kind: "CronJob" | "Job"): string {
  return `involvedObject.kind=${kind},type=Warning`;
}

/** The prefix that a recorder puts before the latest of many Events that it reports as one. */
const COMBINED = /^\(combined from similar events\): /;

/** Returns undefined for an Event without a time. */
export function readEvent(event: DeepReadonly<Event>): EventFacts | undefined {
  const { metadata, involvedObject, type, reason = "", message, series } = event;
  const times = [event.firstTimestamp, event.eventTime, event.lastTimestamp, series?.lastObservedTime]
    .map((text) => parseTime(text)).filter((time) => time !== undefined);
  if (times.length === 0) return undefined;
  return {
    name: metadata.name,
    regardingUid: involvedObject.uid ?? "",
    isWarning: type === "Warning",
    reason,
    message: String(message ?? "").replace(COMBINED, ""),
    count: series?.count ?? event.count ?? 1,
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
  };
}

/**
 * Returns whether an Event is about this scheduled time: it bears the name that such an Event has, or the time is the last
 * one before it. An Event that counts several says nothing of each.
 */
export function isAbout(
  event: EventFacts,
  scheduledTime: EpochMs,
  { uid, following }: { uid: string; following: EpochMs | undefined },
): boolean {
  if (event.name.endsWith(`.${eventSuffix(uid, event.reason, scheduledTime)}`)) return true;
  return event.count === 1 && event.firstAt >= scheduledTime && event.firstAt < (following ?? Infinity);
}
