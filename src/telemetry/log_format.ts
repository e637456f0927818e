import type { LogLevel, LogRecord } from "@logtape/logtape";
import { localTime } from "./local_time.ts";
import { printable, printableJson } from "./printable.ts";
import { redact } from "./redact.ts";

/** `journal`: as `text`, with the level in place of the time, for journald to read. */
export type LogFormat = "text" | "json" | "journal";

/** Makes one line out of a record; credentials are blacked out. `withStacks` shows where an error was thrown. */
export function formatterFor(
  format: LogFormat,
  { withStacks }: { withStacks: boolean },
): (record: LogRecord) => string {
  const lineOf = LINES[format];
  return (record) => redact(lineOf(withStacks ? { ...record, properties: withStack(record.properties) } : record));
}

type Properties = Record<string, unknown>;

function withStack(properties: Properties): Properties {
  const { error } = properties;
  return error instanceof Error ? { ...properties, stack: error.stack } : properties;
}

const LINES: Readonly<Record<LogFormat, (record: LogRecord) => string>> = {
  text: (record) => `${localTime(record.timestamp)} ${record.level.toUpperCase()} ${textLine(record)}`,
  json: jsonLine,
  journal: (record) => `${journalPrefix(record.level)}${textLine(record)}`,
};

/** Returns the prefix of a line that journald, and other readers of syslog's levels, take for its level. */
export function journalPrefix(level: LogLevel): string {
  return `<${SYSLOG_LEVELS[level]}>`;
}

const SYSLOG_LEVELS: Readonly<Record<LogLevel, number>> = {
  fatal: 2,
  error: 3,
  warning: 4,
  info: 6,
  debug: 7,
  trace: 7,
};

/** Returns a line for people, with no property twice. */
function textLine({ category, message, rawMessage, properties }: LogRecord): string {
  const text = message.map((part) => inMessage(plain(part))).join("");
  const named = String(rawMessage);
  const rest = Object.entries(properties)
    .filter(([name, value]) => value !== undefined && !named.includes(`{${name}}`))
    .map(([name, value]) => ` ${name}=${textValue(plain(value))}`);
  return printable(`${category.slice(1).join(".")}: ${oneLine(text)}${rest.join("")}`);
}

function inMessage(value: unknown): string {
  if (Array.isArray(value)) return value.map(inMessage).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}

function textValue(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /[\s"=]/.test(value) || value === "" ? JSON.stringify(value) : value;
}

function jsonLine(record: LogRecord): string {
  const properties = Object.entries(record.properties).map(([name, value]) => [name, plain(value)]);
  return printableJson(JSON.stringify({
    time: new Date(record.timestamp).toISOString(),
    level: record.level,
    logger: record.category.slice(1).join("."),
    message: record.message.map((part) => String(plain(part))).join(""),
    ...Object.fromEntries(properties),
  }));
}

/** Returns an error's message alone: its other properties may be anything. */
function plain(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
