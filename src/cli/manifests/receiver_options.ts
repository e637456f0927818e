import type { Command } from "commander";
import { destinationOf, type Receiver } from "../../manifests/receivers.ts";
import { addOptions, bothOf, option } from "../options.ts";
import { outgoingUrl } from "../shared/ping_options.ts";

/** Who is to be notified of runs. */
export interface ReceiverOptions {
  notifyWebhook?: URL;
  notifySecret?: string;
  pingUrl?: URL;
  pingSecret?: string;
}

/** Adds the flags of `ReceiverOptions`; keys are named by their Secret, and never stand in a manifest. */
export function addReceiverOptions(command: Command): Command {
  return addOptions(
    command,
    option("--notify-webhook <url>", "report failed runs there, with a way out in the network policy")
      .argParser(outgoingUrl),
    option("--notify-secret <name>", "the Secret whose entry `keys` holds the keys that sign"),
    option("--ping-url <url>", "ping the checks of this Healthchecks server, with a way out in the network policy")
      .argParser(outgoingUrl),
    option("--ping-secret <name>", "the Secret whose entry `key` holds the ping key"),
  );
}

/** @throws {ConfigError} where one of two is missing */
export function receiversOf({ notifyWebhook, notifySecret, pingUrl, pingSecret }: ReceiverOptions): Receiver[] {
  return [
    ...receiver("webhook", bothOf(["--notify-webhook", notifyWebhook], ["--notify-secret", notifySecret])),
    ...receiver("pings", bothOf(["--ping-url", pingUrl], ["--ping-secret", pingSecret])),
  ];
}

function receiver(kind: Receiver["kind"], given: [url: URL, secret: string] | undefined): Receiver[] {
  if (!given) return [];
  const [url, secret] = given;
  return [{ kind, url: url.href, secret, destination: destinationOf(url) }];
}
