import type { Clock } from "../base/clock.ts";
import type { Channel, Delivery } from "./channel.ts";
import { CLOUD_EVENT_TYPE, cloudEventOf } from "./cloud_event.ts";
import type { RunNotification } from "./notification.ts";
import { sendOnce } from "./request.ts";
import { signaturesOf } from "./signature.ts";

export interface WebhookChannelOptions {
  readonly clock: Clock;
  readonly url: URL;
  /** Each signs: with two of them receivers can change over. */
  readonly keys: readonly Uint8Array[];
  readonly userAgent: string;
  /** @default {5_000} */
  readonly timeoutMs?: number;
}

/** Notifies by CloudEvents to one address, signed as https://www.standardwebhooks.com has it. */
export class WebhookChannel implements Channel {
  readonly name = "webhook";
  readonly #options: WebhookChannelOptions;

  constructor(options: WebhookChannelOptions) {
    this.#options = options;
  }

  async deliver(notification: RunNotification, signal: AbortSignal): Promise<Delivery> {
    const { clock, url, keys, userAgent, timeoutMs } = this.#options;
    const body = JSON.stringify(cloudEventOf(notification));
    const id = notification.id;
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const headers = {
      "content-type": CLOUD_EVENT_TYPE,
      "user-agent": userAgent,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signaturesOf({ id, timestamp, body }, keys),
    };
    await sendOnce({ url, headers, body }, { clock, signal, timeoutMs });
    return "sent";
  }
}
