import type { WebhookForm, WebhookFormName } from "../../notifications/webhook_form.ts";
import { ConfigError } from "../errors.ts";
import { bothOf, durationMs, option, type OptionsOf } from "../flags/options.ts";
import { FORM_OPTION, NOTIFY_ON_OPTION, outgoingUrl } from "../flags/receiver_options.ts";
import { readSecretFile } from "../shared/secret_file.ts";

/** Where it is reported which runs failed. */
export const WEBHOOK_OPTIONS = [
  option("--notify-webhook <url>", "gets a report when a run has failed, and when the first run succeeds after that")
    .parsedBy(outgoingUrl),
  FORM_OPTION,
  option(
    "--notify-secret-file <file>",
    "holds, for slack, the whole address of the webhook, which begins as --notify-webhook; for alertmanager, where it " +
      "asks for it, USER:PASSWORD or a bearer token; for cloudevents, the keys that sign, one a line: whsec_ and base64",
  ),
  option(
    "--notify-interval <seconds|duration>",
    "failures of a CronJob that follow so soon on those reported last are reported together",
  ).parsedBy(durationMs(1_000, 86_400_000), "10m"),
  NOTIFY_ON_OPTION,
];

export type WebhookOptions = OptionsOf<typeof WEBHOOK_OPTIONS>;

/**
 * Returns who gets notifications, and how; undefined: no one does.
 *
 * @throws {ConfigError} where the secret is missing, or cannot be read or used
 */
export async function webhookOf(
  { notifyWebhook: url, notifyForm, notifySecretFile: file }: WebhookOptions,
): Promise<WebhookForm | undefined> {
  const needsSecret = notifyForm !== "alertmanager" || url === undefined;
  if (needsSecret && !bothOf(["--notify-webhook", url], ["--notify-secret-file", file])) return undefined;
  const secret = file === undefined ? undefined : await readSecretFile(file, "--notify-secret-file");
  try {
    return await formOf(notifyForm, url!, secret);
  } catch (cause) {
    throw new ConfigError(`Cannot use --notify-secret-file ${file}: ${(cause as Error).message}`, { cause });
  }
}

async function formOf(form: WebhookFormName, url: URL, secret = ""): Promise<WebhookForm> {
  switch (form) {
    case "slack":
      return (await import("../../notifications/slack.ts")).slackForm(url, secret);
    case "alertmanager":
      return new (await import("../../notifications/alertmanager.ts")).AlertmanagerForm(url, secret);
    case "cloudevents":
      return (await import("../../notifications/cloud_event.ts")).cloudEventsForm(url, secret);
  }
}
