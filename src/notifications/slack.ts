import { sentenceOf } from "./notification.ts";
import type { WebhookForm } from "./webhook_form.ts";

/** Discord takes no more than 2,000 characters. */
const MAX_CHARACTERS = 1_900;
const ICONS: Readonly<Record<string, string>> = { failed: ":red_circle:", recovered: ":large_green_circle:" };
const TROUBLE_ICON = ":warning:";

/**
 * Returns the form of Slack's incoming webhooks, which Mattermost, Rocket.Chat and Discord read too. The whole address is the
 * secret; `server` is what may be known of it.
 *
 * @throws {Error} saying what is wrong, without a word of the secret
 */
export function slackForm(server: URL, secret: string): WebhookForm {
  const text = secret.trim();
  if (!URL.canParse(text)) throw new Error("it holds no address");
  const url = new URL(text);
  if (url.origin !== server.origin) throw new Error(`its address is not at ${server.origin}`);
  return {
    requestOf: (notification) => ({
      url,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: `${ICONS[notification.kind] ?? TROUBLE_ICON} ${asCode(sentenceOf(notification))}` }),
    }),
  };
}

/** The replacements of characters that have a meaning in Slack's text. */
const ESCAPED: Readonly<Record<string, string>> = { "`": "'", "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Returns a text, which a container may have written, as code: there no name calls people, and no mark changes the text. */
function asCode(text: string): string {
  let code = "";
  for (const character of text.toWellFormed().replaceAll(/\s+/g, " ")) {
    const next = ESCAPED[character] ?? character;
    if (code.length + next.length > MAX_CHARACTERS) return `\`${code}…\``;
    code += next;
  }
  return `\`${code}\``;
}
