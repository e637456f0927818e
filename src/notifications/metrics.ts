import { Counter, type Registry } from "prom-client";
import type { ChannelName, NotificationObserver, NotificationOutcome } from "./channel.ts";

const OUTCOMES: readonly NotificationOutcome[] = ["sent", "failed", "dropped"];

/** Counts what became of notifications, since this process began. */
export class NotificationMetrics implements NotificationObserver {
  readonly #count: Counter;

  constructor(registry: Registry, channels: readonly ChannelName[]) {
    this.#count = new Counter({
      name: "cronjob_controller_notifications_total",
      help: "Notifications and pings: sent, failed (once for each attempt), or dropped without being reported",
      labelNames: ["channel", "outcome"],
      registers: [registry],
    });
    for (const channel of channels) for (const outcome of OUTCOMES) this.#count.inc({ channel, outcome }, 0);
  }

  notified(channel: ChannelName, outcome: NotificationOutcome, count = 1): void {
    this.#count.inc({ channel, outcome }, count);
  }
}
