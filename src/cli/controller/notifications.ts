import type { CronJobReporterOptions, RunEvent } from "../../cronjob/reporter.ts";
import { type ChannelName, onlyOf } from "../../notifications/channel.ts";
import { NotificationMetrics } from "../../notifications/metrics.ts";
import { type FollowedCronJobs, RunNotifier, type RunNotifierOptions } from "../../notifications/run_notifier.ts";
import { reminders } from "../../notifications/reminders.ts";
import { troubleKindsOf, TroubleNotifier } from "../../notifications/trouble_notifier.ts";
import { webhookChannel } from "../../notifications/webhook_channel.ts";
import type { Leadership } from "../../runtime/leadership.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { type PingOptions, pingServerOf } from "../flags/receiver_options.ts";
import { pingsOf } from "../shared/pings.ts";
import { VERSION } from "../version.ts";
import { webhookOf, type WebhookOptions } from "./webhook_options.ts";

/** The receivers of notifications, read from the command line and the files that it names. */
export type Receivers = Awaited<ReturnType<typeof receiversOf>>;

/** @throws {ConfigError} where a secret is missing, or can't be read */
export async function receiversOf(options: WebhookOptions & PingOptions) {
  return { webhook: await webhookOf(options), pings: await pingServerOf(options) };
}

export interface NotifyingParts
  extends Pick<RunNotifierOptions, "clock" | "jobs" | "followed" | "controllerObserver" | "drainMs"> {
  readonly leadership: Leadership;
  readonly metrics: Metrics;
}

/** The parts that notify the receivers, on the leader alone. */
export interface Notifications {
  /** To be called of each run. */
  readonly onRun: (event: RunEvent) => void;
  /** To be called with the troubles of a CronJob. Absent: none are notified. */
  readonly onTroubles?: CronJobReporterOptions["onTroubles"];
  /** Returns the parts that report the runs of a controller's CronJobs. */
  readonly partsFor: (controller: FollowedCronJobs & Pick<Runnable, "name">) => readonly Runnable[];
}

/** Starts what notifies the receivers, whatever the controllers are: `followed` may change at any time. */
export function startNotifications(
  { notifyInterval, notifyOn, pingSlug }: Pick<
    WebhookOptions & PingOptions,
    "notifyInterval" | "notifyOn" | "pingSlug"
  >,
  { webhook, pings: server }: Receivers,
  { leadership, metrics, ...parts }: NotifyingParts,
): Notifications {
  const { client, leading } = leadership;
  const { clock, followed } = parts;
  const channels: readonly ChannelName[] = [...webhook ? ["webhook" as const] : [], ...server ? ["ping" as const] : []];
  if (channels.length === 0) return { onRun: () => {}, partsFor: () => [] };
  const observer = new NotificationMetrics(metrics.registry, channels);
  const sender = webhook && webhookChannel({ form: webhook, clock, userAgent: `cronjob-controller/${VERSION}` });
  const channel = sender && onlyOf(notifyOn, sender);
  const remindersOf = webhook?.remindersOf?.bind(webhook);
  if (sender && remindersOf && notifyOn.includes("failed")) {
    leadership.start(reminders({ clock, remindersOf, send: sender.send, followed, leading }));
  }
  const kinds = channel ? troubleKindsOf(notifyOn) : [];
  const troubles = channel && kinds.length > 0
    ? new TroubleNotifier({ client, clock, channel, followed, kinds, observer })
    : undefined;
  if (troubles) leadership.start(troubles);
  const onTroubles = troubles?.note.bind(troubles);
  const notifying = { ...parts, client, leading, intervalMs: notifyInterval, observer };
  const partsFor: Notifications["partsFor"] = (controller) => {
    const name = `notifications-${controller.name}`;
    return channel ? [new RunNotifier({ ...notifying, name, channel, followed: [controller] })] : [];
  };
  const checks = () => leadership.checks();
  const pings = pingsOf({ clock, server, observer, slug: pingSlug, checks, leading, followed });
  for (const part of pings.parts) leadership.start(part);
  return { onRun: pings.onRun, onTroubles, partsFor };
}
