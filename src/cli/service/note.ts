import type { Installed, ServiceDefinition } from "./definition.ts";

/** Returns what `uninstall` needs, as a line for a comment. A comment of XML takes no two dashes, so none stands in it. */
export function noteOf({ scope, account, environment, left }: ServiceDefinition): string {
  const installed: Installed = { left, environment, ...scope === "system" && { user: account.name } };
  return `Installed: ${JSON.stringify(installed).replaceAll("-", "\\u002d")}`;
}

/** Reads the note in a service's file. Undefined where there is none. */
export function readNote(text: string): Installed | undefined {
  const [, json] = /Installed: (\{.*\})/.exec(text) ?? [];
  return json === undefined ? undefined : JSON.parse(json);
}
