import type { ObjectKey } from "../kube/object.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Notification } from "./notification.ts";

/** A way to report: a command on this machine, or a webhook. */
export interface Channel {
  readonly name: ChannelName;
  /**
   * Resolves once it is reported; what is not to be tried again counts as reported. Throws what is to be tried again, in words that
   * hold no secret.
   */
  deliver(notification: Notification, signal: AbortSignal): Promise<Delivery>;
}

export type ChannelName = "hook" | "webhook" | "ping";

/** `failed`: the channel made nothing of it, and would not the next time. `skipped`: not asked for. */
export type Delivery = "sent" | "failed" | "skipped";

/** The outcome of a notification. `dropped`: never reported, as there was no room or no time left. */
export type NotificationOutcome = Exclude<Delivery, "skipped"> | "dropped";

/** Learns what becomes of notifications. Called synchronously; must not throw. */
export interface NotificationObserver {
  notified(channel: ChannelName, outcome: NotificationOutcome, count?: number): void;
  /** A notification of this CronJob went out, or of several, of which it is the first. */
  sent?(cronJob: ObjectKey): void;
  /** More runs of this CronJob have failed, and are reported at that time. */
  waits?(cronJob: ObjectKey, until: EpochMs): void;
}

/** Returns a channel that skips notifications of other kinds. */
export function onlyOf(kinds: readonly Notification["kind"][], channel: Channel): Channel {
  return {
    name: channel.name,
    deliver: (notification, signal) =>
      kinds.includes(notification.kind) ? channel.deliver(notification, signal) : Promise.resolve("skipped"),
  };
}
