import type { Clock } from "../base/clock.ts";
import type { Channel } from "./channel.ts";
import { type OutgoingRequest, sendOnce } from "./request.ts";
import type { WebhookForm } from "./webhook_form.ts";

export interface WebhookChannelOptions {
  readonly clock: Clock;
  readonly form: WebhookForm;
  readonly userAgent: string;
  /** @default {5_000} */
  readonly timeoutMs?: number;
}

/** Returns the channel that reports by requests to one address. */
export function webhookChannel({ clock, form, userAgent, timeoutMs }: WebhookChannelOptions) {
  /** Sends a request once. Throws as {@linkcode sendOnce}. */
  const send = async ({ headers, ...request }: OutgoingRequest, signal: AbortSignal) =>
    await sendOnce({ ...request, headers: { ...headers, "user-agent": userAgent } }, { clock, signal, timeoutMs });
  return {
    name: "webhook",
    send,
    deliver: async (notification, signal) => {
      await send(form.requestOf(notification, clock.now()), signal);
      return "sent";
    },
  } satisfies Channel & { readonly send: unknown };
}
