import type { RunEvent } from "../../cronjob/reporter.ts";
import type { ChannelName } from "../../notifications/channel.ts";
import { NotificationMetrics } from "../../notifications/metrics.ts";
import type { PingServer } from "../../notifications/ping_address.ts";
import { RunNotifier, type RunNotifierOptions } from "../../notifications/run_notifier.ts";
import { Reminders } from "../../notifications/reminders.ts";
import { WebhookChannel } from "../../notifications/webhook_channel.ts";
import type { WebhookForm } from "../../notifications/webhook_form.ts";
import type { Leadership } from "../../runtime/leadership.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { type PingOptions, pingServerOf } from "../shared/ping_options.ts";
import { pingsOf } from "../shared/pings.ts";
import { VERSION } from "../version.ts";
import { webhookOf, type WebhookOptions } from "./webhook_options.ts";

/** Who is notified of runs, read from the command line and the files that it names. */
export interface Receivers {
  readonly webhook: WebhookForm | undefined;
  readonly pings: PingServer | undefined;
}

/** @throws {ConfigError} where a secret is missing, or can't be read */
export async function receiversOf(options: WebhookOptions & PingOptions): Promise<Receivers> {
  return { webhook: await webhookOf(options), pings: await pingServerOf(options) };
}

export interface NotifyingParts
  extends Pick<RunNotifierOptions, "clock" | "jobs" | "followed" | "controllerObserver" | "drainMs"> {
  readonly leadership: Leadership;
  readonly metrics: Metrics;
}

/** Adds what notifies the receivers, all of it for the leader alone. Returns what is to be called of each run. */
export function addNotifications(
  { notifyInterval, pingSlug }: Pick<WebhookOptions & PingOptions, "notifyInterval" | "pingSlug">,
  { webhook, pings: server }: Receivers,
  { leadership, metrics, ...parts }: NotifyingParts,
): (event: RunEvent) => void {
  const { client, leading } = leadership;
  const { clock, followed } = parts;
  const channels: readonly ChannelName[] = [...webhook ? ["webhook" as const] : [], ...server ? ["ping" as const] : []];
  if (channels.length === 0) return () => {};
  const observer = new NotificationMetrics(metrics.registry, channels);
  const userAgent = `cronjob-controller/${VERSION}`;
  if (webhook) {
    const channel = new WebhookChannel({ form: webhook, clock, userAgent });
    leadership.start(
      new RunNotifier({ ...parts, client, leading, channel, intervalMs: notifyInterval, observer }),
    );
    const remindersOf = webhook.remindersOf?.bind(webhook);
    const send = channel.send.bind(channel);
    if (remindersOf) leadership.start(new Reminders({ clock, remindersOf, send, followed, leading }));
  }
  if (!server) return () => {};
  const checks = () => leadership.checks();
  const pings = pingsOf({
    clock,
    server,
    userAgent,
    observer,
    slug: pingSlug,
    checks,
    leading,
    followed: () => followed,
  });
  for (const part of pings.parts) leadership.start(part);
  return pings.onRun;
}
