import { InvalidArgumentError } from "commander";
import { TROUBLES } from "../../cronjob/status/troubles.ts";
import type { Notification } from "../../notifications/notification.ts";
import { WEBHOOK_FORMS } from "../../notifications/webhook_form.ts";
import type { PingServer } from "../../notifications/ping_address.ts";
import { ConfigError } from "../errors.ts";
import { bothOf, listOf, option, type OptionsOf, switchOption } from "./options.ts";
import { readSecretFile } from "../shared/secret_file.ts";

/** Notifications that can be asked for, each by its kind. */
const NOTIFIED: readonly Notification["kind"][] = [
  "failed",
  "recovered",
  ...Object.keys(TROUBLES) as (keyof typeof TROUBLES)[],
];

/** The option that chooses what is notified. */
export const NOTIFY_ON_OPTION = option(
  "--notify-on <kinds>",
  `which notifications are sent, with commas between: ${NOTIFIED.join(", ")}`,
).parsedBy(listOf(NOTIFIED), "failed,recovered,missed,late,not-followed");

/**
 * Where it is said that this program, and labelled CronJobs, are well. They go together: `pingServerOf` refuses an address
 * without a key.
 */
export const PING_OPTIONS = [
  option(
    "--ping-url <url>",
    "a server of Healthchecks' form, such as https://hc-ping.com, that is pinged each minute, and for the runs of " +
      'CronJobs with the label cronjob-controller.dev/ping: "true"',
  ).parsedBy(outgoingUrl),
  option("--ping-key-file <file>", "holds the ping key of its project"),
  option("--ping-slug <slug>", "the check of this program itself: small letters, digits and dashes")
    .parsedBy(slug, "cronjob-controller"),
  switchOption("--ping-create", "have the server make checks that it does not know"),
];

export type PingOptions = OptionsOf<typeof PING_OPTIONS>;

/**
 * Returns where pings go; undefined for nowhere.
 *
 * @throws {ConfigError} where one of two is missing, or the key can't be read
 */
export async function pingServerOf({ pingUrl, pingKeyFile, pingCreate }: PingOptions): Promise<PingServer | undefined> {
  const given = bothOf(["--ping-url", pingUrl], ["--ping-key-file", pingKeyFile]);
  if (!given) return undefined;
  const [base, file] = given;
  const key = (await readSecretFile(file, "--ping-key-file")).trim();
  if (!/^[\w-]+$/.test(key)) {
    throw new ConfigError(`Cannot use --ping-key-file ${file}: a ping key has letters, digits, - and _ alone`);
  }
  return { base, key, creates: pingCreate };
}

/** Reads an address that an operator sets: one that holds no secret of its own. */
export function outgoingUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new InvalidArgumentError("must be an address that begins with https:// or http://.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidArgumentError("must hold no user, password, query or fragment.");
  }
  return url;
}

function slug(text: string): string {
  if (/^[a-z0-9-]{1,100}$/.test(text)) return text;
  throw new InvalidArgumentError("must be up to 100 small letters, digits and dashes.");
}

/** The option that says what the receiver understands. */
export const FORM_OPTION = option(
  "--notify-form <form>",
  "what the receiver understands: messages as Slack, alerts, or events",
).oneOf(WEBHOOK_FORMS).byDefault("slack");
