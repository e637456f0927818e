import { destinationOf, type Receiver } from "../../manifests/receivers.ts";
import { bothOf, option, type OptionsOf } from "../flags/options.ts";
import { FORM_OPTION, outgoingUrl } from "../flags/receiver_options.ts";

/** The receivers of notifications; keys are named by their Secret, and never stand in a manifest. */
export const RECEIVER_OPTIONS = [
  option("--notify-webhook <url>", "report failed runs there, with a way out in the network policy")
    .parsedBy(outgoingUrl),
  FORM_OPTION,
  option(
    "--notify-secret <name>",
    "the Secret whose entry `secret` holds what --notify-secret-file of controller holds",
  ),
  option("--ping-url <url>", "ping the checks of this Healthchecks server, with a way out in the network policy")
    .parsedBy(outgoingUrl),
  option("--ping-secret <name>", "the Secret whose entry `key` holds the ping key"),
];

export type ReceiverOptions = OptionsOf<typeof RECEIVER_OPTIONS>;

/** @throws {ConfigError} where one of two is missing */
export function receiversOf(options: ReceiverOptions): Receiver[] {
  const { notifyWebhook: url, notifyForm: form, notifySecret, pingUrl, pingSecret } = options;
  const isOpen = form === "alertmanager" && url !== undefined && notifySecret === undefined;
  const notified: readonly [URL, string?] | undefined = isOpen
    ? [url]
    : bothOf(["--notify-webhook", url], ["--notify-secret", notifySecret]);
  const pinged = bothOf(["--ping-url", pingUrl], ["--ping-secret", pingSecret]);
  return [
    ...notified ? [{ ...receiver("webhook", ...notified), form }] : [],
    ...pinged ? [receiver("pings", ...pinged)] : [],
  ];
}

function receiver(kind: Receiver["kind"], url: URL, secret?: string): Receiver {
  return { kind, url: url.href, secret, destination: destinationOf(url) };
}
