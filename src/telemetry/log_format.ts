import type { LogRecord } from "@logtape/logtape";
import { redact } from "./redact.ts";

export type LogFormat = "text" | "json";

/** Makes one line out of a record; credentials are blacked out. `withStacks` tells of an error where it was thrown. */
export function formatterFor(
  format: LogFormat,
  { withStacks }: { withStacks: boolean },
): (record: LogRecord) => string {
  const lineOf = format === "json" ? jsonLine : textLine;
  return (record) => redact(lineOf(withStacks ? { ...record, properties: withStack(record.properties) } : record));
}

type Properties = Record<string, unknown>;

function withStack(properties: Properties): Properties {
  const { error } = properties;
  return error instanceof Error ? { ...properties, stack: error.stack } : properties;
}

/** For people: the time of day where they are, and no property twice. */
function textLine({ timestamp, level, category, message, rawMessage, properties }: LogRecord): string {
  const time = new Date(timestamp).toTimeString().slice(0, 8);
  const text = message.map((part) => inMessage(plain(part))).join("");
  const named = String(rawMessage);
  const rest = Object.entries(properties)
    .filter(([name, value]) => value !== undefined && !named.includes(`{${name}}`))
    .map(([name, value]) => ` ${name}=${textValue(plain(value))}`);
  return `${time} ${level.toUpperCase()} ${category.slice(1).join(".")}: ${oneLine(text)}${rest.join("")}`;
}

function inMessage(value: unknown): string {
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
  return JSON.stringify({
    time: new Date(record.timestamp).toISOString(),
    level: record.level,
    logger: record.category.slice(1).join("."),
    message: record.message.map((part) => String(plain(part))).join(""),
    ...Object.fromEntries(properties),
  });
}

/** Of an error its message alone: what else it carries may be anything. */
function plain(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
