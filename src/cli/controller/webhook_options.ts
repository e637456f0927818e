import type { Command } from "commander";
import type { WebhookChannelOptions } from "../../notifications/webhook_channel.ts";
import { ConfigError } from "../errors.ts";
import { addOptions, bothOf, durationMs, option } from "../options.ts";
import { outgoingUrl } from "../shared/ping_options.ts";
import { readSecretFile } from "../shared/secret_file.ts";

/** Where it is reported which runs failed. */
export interface WebhookOptions {
  notifyWebhook?: URL;
  notifySecretFile?: string;
  /** Milliseconds. */
  notifyInterval: number;
}

/** Adds the flags of `WebhookOptions`, which go together: `webhookOf` refuses an address without keys. */
export function addWebhookOptions(command: Command): Command {
  return addOptions(
    command,
    option(
      "--notify-webhook <url>",
      "gets a CloudEvent when a run has failed, and when the first run succeeds after that",
    ).argParser(outgoingUrl),
    option("--notify-secret-file <file>", "holds the keys that sign these, one a line: whsec_ and base64"),
    option(
      "--notify-interval <seconds|duration>",
      "failures of a CronJob that follow so soon on those reported last are reported together",
    ).argParser(durationMs(1_000, 86_400_000)).default(600_000, "10m"),
  );
}

/**
 * Returns which address gets notifications, and what signs them; undefined for none.
 *
 * @throws {ConfigError} where one of two is missing, or the keys can't be read
 */
export async function webhookOf(
  { notifyWebhook, notifySecretFile }: WebhookOptions,
): Promise<Pick<WebhookChannelOptions, "url" | "keys"> | undefined> {
  const given = bothOf(["--notify-webhook", notifyWebhook], ["--notify-secret-file", notifySecretFile]);
  if (!given) return undefined;
  const [url, file] = given;
  const text = await readSecretFile(file, "--notify-secret-file");
  const { readSigningKeys } = await import("../../notifications/signature.ts");
  try {
    return { url, keys: readSigningKeys(text) };
  } catch (cause) {
    throw new ConfigError(`Cannot use --notify-secret-file ${file}: ${(cause as Error).message}`, { cause });
  }
}
