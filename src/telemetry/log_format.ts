import { getTextFormatter, type LogRecord } from "@logtape/logtape";
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

const textFormatter = getTextFormatter({
  timestamp: "time",
  format: ({ timestamp, level, category, message, record }) =>
    `${timestamp?.slice(0, 8)} ${level} ${category}: ${message}${textProperties(record.properties)}`,
  category: (category) => category.slice(1).join("."),
  level: "FULL",
});

function textLine(record: LogRecord): string {
  return textFormatter({ ...record, message: record.message.map(plain) }).trimEnd();
}

function textProperties(properties: Properties): string {
  return Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${textValue(plain(value))}`)
    .join("");
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
