import type { Clock } from "../base/clock.ts";
import type { Channel, Delivery } from "./channel.ts";
import type { Notification } from "./notification.ts";
import { type OutgoingRequest, sendOnce } from "./request.ts";
import type { WebhookForm } from "./webhook_form.ts";

export interface WebhookChannelOptions {
  readonly clock: Clock;
  readonly form: WebhookForm;
  readonly userAgent: string;
  /** @default {5_000} */
  readonly timeoutMs?: number;
}

/** Notifies by requests to one address. */
export class WebhookChannel implements Channel {
  readonly name = "webhook";
  readonly #options: WebhookChannelOptions;

  constructor(options: WebhookChannelOptions) {
    this.#options = options;
  }

  async deliver(notification: Notification, signal: AbortSignal): Promise<Delivery> {
    const { clock, form } = this.#options;
    await this.send(form.requestOf(notification, clock.now()), signal);
    return "sent";
  }

  /** Sends it once. Throws as {@linkcode sendOnce}. */
  async send({ headers, ...request }: OutgoingRequest, signal: AbortSignal): Promise<void> {
    const { clock, userAgent, timeoutMs } = this.#options;
    await sendOnce({ ...request, headers: { ...headers, "user-agent": userAgent } }, { clock, signal, timeoutMs });
  }
}
