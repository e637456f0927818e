/** A line of a crontab that is neither blank nor a mere comment. Lines are counted from 1. */
export type CrontabLine =
  | (Line & { readonly kind: "setting"; readonly name: string; readonly value: string })
  | CrontabEntry
  | (Line & { readonly kind: "switchedOff" })
  | (Line & { readonly kind: "unreadable"; readonly reason: string });

interface Line {
  readonly line: number;
  /** The line without blanks at its start; of a comment without its `#` either. */
  readonly text: string;
}

export interface CrontabEntry extends Line {
  readonly kind: "entry";
  /** Five fields with single blanks between them, or a nickname such as `@daily`. */
  readonly times: string;
  /** In a system crontab alone. */
  readonly user: string | undefined;
  /** All that follows, with its percent signs. */
  readonly command: string;
  /** The comment right above it. */
  readonly comment: string | undefined;
  /** The name in a line `# name: NAME` of that comment. */
  readonly name: { readonly text: string; readonly line: number } | undefined;
}

export interface CrontabFormat {
  /** Whether a user stands before the command, as in /etc/crontab and /etc/cron.d. */
  readonly hasUsers: boolean;
}

/** Some editors begin a file with this mark. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Takes a crontab apart as cron does: a line is a comment, a setting of the environment, or an entry. Nothing continues a line. */
export function readCrontab(text: string, format: CrontabFormat): CrontabLine[] {
  const lines: CrontabLine[] = [];
  let above: Line[] = [];
  for (const [index, whole] of text.replace(BYTE_ORDER_MARK, "").split(/\r?\n/).entries()) {
    const trimmed = whole.replace(/^[ \t]+/, "");
    if (trimmed.startsWith("#")) {
      const comment = { text: trimmed.replace(/^#+ ?/, "").trimEnd(), line: index + 1 };
      if (isEntry(comment.text, format)) lines.push({ kind: "switchedOff", ...comment });
      above.push(comment);
      continue;
    }
    if (trimmed !== "") lines.push(readLine(trimmed, index + 1, above, format));
    above = [];
  }
  return lines;
}

function readLine(text: string, line: number, above: readonly Line[], format: CrontabFormat): CrontabLine {
  const { hasUsers } = format;
  const setting = readSetting(text);
  if (setting) return { kind: "setting", line, text, ...setting };
  const pattern = hasUsers ? ENTRY_WITH_USER : ENTRY;
  const [, times, user = "", command = ""] = pattern.exec(text) ?? [];
  if (times === undefined || command === "") {
    return { kind: "unreadable", line, text, reason: reasonOf(text, hasUsers) };
  }
  if (!hasUsers && command.startsWith("*")) {
    return { kind: "unreadable", line, text, reason: "has more than five time fields" };
  }
  if (hasUsers && !USER_NAME.test(user)) {
    return { kind: "unreadable", line, text, reason: `${user} is no name of a user; leave --system out?` };
  }
  return {
    kind: "entry",
    line,
    text,
    times: times.replaceAll(/[ \t]+/g, " "),
    user: user || undefined,
    command,
    ...readComment(above, format),
  };
}

/** Both kinds of entries have the groups times, user and command; that of the user is empty where there is none. */
const TIMES = String.raw`(@[^ \t]*|[^ \t@][^ \t]*(?:[ \t]+[^ \t]+){4})`;
const ENTRY = new RegExp(`^${TIMES}[ \\t]+()(.*)$`);
const ENTRY_WITH_USER = new RegExp(`^${TIMES}[ \\t]+([^ \\t]+)[ \\t]+(.*)$`);

/** As useradd takes them, and Samba's with a dollar at the end. */
const USER_NAME = /^[a-z_][\w.-]*\$?$/i;

function reasonOf(text: string, hasUsers: boolean): string {
  if (/^[A-Za-z_]\w*[ \t]*=[ \t]*$/.test(text)) return 'cron takes an empty value in quotes only: write =""';
  return `must be five time fields, ${hasUsers ? "a user " : ""}and a command, or NAME=VALUE`;
}

const NAME = /^name:\s*/i;

/** Returns the name and the description in the comment above an entry, without entries and settings that are switched off. */
function readComment(above: readonly Line[], format: CrontabFormat): Pick<CrontabEntry, "comment" | "name"> {
  // A name above an entry that is switched off is the name of that entry.
  const own = above.slice(above.findLastIndex(({ text }) => isEntry(text, format)) + 1);
  const name = own.findLast(({ text }) => NAME.test(text));
  const about = above.filter(({ text }) => !NAME.test(text) && !isSetting(text) && !isEntry(text, format));
  return {
    comment: about.map(({ text }) => text).join("\n").trim() || undefined,
    name: name && { text: name.text.replace(NAME, ""), line: name.line },
  };
}

const TIME_FIELD = /^[\d*][\d*,/-]*$|^@(reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)$/;

/** Returns whether a comment is a setting that was switched off. Its name is in capitals: a sentence may have a `=` too. */
function isSetting(line: string): boolean {
  return readSetting(line) !== undefined && /^[A-Z_]+ *=/.test(line);
}

/** Returns whether a comment is an entry that was switched off. */
function isEntry(line: string, { hasUsers }: CrontabFormat): boolean {
  if (readSetting(line)) return false;
  const [, times] = (hasUsers ? ENTRY_WITH_USER : ENTRY).exec(line) ?? [];
  if (times === undefined) return false;
  const [first = "", second = first] = times.split(/[ \t]+/);
  return TIME_FIELD.test(first) && TIME_FIELD.test(second);
}

/**
 * `NAME = value`: blanks around `=` and after the value do not count. Quotes, single or double, keep the blanks of a value, and
 * may stand around the name too.
 */
const SETTING = /^(?:'([^'=]+)'|"([^"=]+)"|([^\s='"][^\s=]*))\s*=\s*(?:'([^']*)'\s*|"([^"]*)"\s*|([^\s'"].*))$/;

function readSetting(text: string): { name: string; value: string } | undefined {
  const match = SETTING.exec(text);
  if (match === null) return undefined;
  const name = match.slice(1, 4).find((form) => form !== undefined)!;
  const quoted = match[4] ?? match[5];
  return { name, value: withoutQuotes(quoted ?? match[6]!.trimEnd()) };
}

/** cron takes off a second pair of quotes. */
function withoutQuotes(value: string): string {
  return /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
}
