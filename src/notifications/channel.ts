import type { ObjectKey } from "../kube/object.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Notification } from "./notification.ts";

/** A way to report: a command on this machine, or a webhook. */
export interface Channel {
  readonly name: ChannelName;
  /**
   * Resolves once a notification is reported, or has failed for good. Throws a failure after which it is to be tried again, in
   * words that hold no secret.
   */
  deliver(notification: Notification, signal: AbortSignal): Promise<Delivery>;
}

export type ChannelName = "hook" | "webhook" | "ping";

/** `failed`: another try would fail too. `skipped`: the channel is not for such notifications. */
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
