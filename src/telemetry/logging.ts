import {
  configure,
  getLogger,
  getTextFormatter,
  type Logger,
  type LoggerConfig,
  type LogLevel,
  type LogRecord,
} from "@logtape/logtape";

export type { Logger, LogLevel };

/** Root of every logger's category; the rest names the area: `["cronjob-controller", "cronjob"]`. */
export const ROOT_CATEGORY = "cronjob-controller";

/** A logger for one area of the program. Silent until {@linkcode configureLogging} was called. */
export function loggerFor(...area: string[]): Logger {
  return getLogger([ROOT_CATEGORY, ...area]);
}

export interface LoggingOptions {
  /** The least level that is written. */
  level: LogLevel;
  format: "text" | "json";
  /** Takes one line, without a line end. @default console.error */
  write?: (line: string) => void;
  /** Areas of which only warnings and worse are written. */
  quiet?: readonly string[];
}

/** Sends the whole program's log somewhere; called once, by the command that runs. */
export async function configureLogging(options: LoggingOptions): Promise<void> {
  const { level, format, write = console.error, quiet = [] } = options;
  const formatRecord = format === "json" ? formatJson : formatText;
  await configure({
    reset: true,
    sinks: { lines: (record) => write(formatRecord(record)) },
    loggers: [
      { category: ROOT_CATEGORY, lowestLevel: level, sinks: ["lines"] },
      ...quiet.map(quietly),
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
    ],
  });
}

function quietly(area: string): LoggerConfig<"lines", string> {
  return { category: [ROOT_CATEGORY, area], parentSinks: "override", lowestLevel: "warning", sinks: ["lines"] };
}

const textFormatter = getTextFormatter({
  timestamp: "time",
  format: ({ timestamp, level, category, message, record }) =>
    `${timestamp?.slice(0, 8)} ${level} ${category}: ${message}${formatProperties(record.properties)}`,
  category: (category) => category.slice(1).join("."),
  level: "FULL",
});

function formatText(record: LogRecord): string {
  return textFormatter(record).trimEnd();
}

function formatProperties(properties: Record<string, unknown>): string {
  return Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? quoteIfNeeded(value) : printable(value)}`)
    .join("");
}

function quoteIfNeeded(text: string): string {
  return /[\s"=]/.test(text) || text === "" ? JSON.stringify(text) : text;
}

function printable(value: unknown): string {
  return value instanceof Error ? quoteIfNeeded(value.message) : JSON.stringify(value);
}

function formatJson(record: LogRecord): string {
  const properties = Object.fromEntries(
    Object.entries(record.properties).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
  );
  return JSON.stringify({
    time: new Date(record.timestamp).toISOString(),
    level: record.level,
    logger: record.category.slice(1).join("."),
    message: record.message.map(String).join(""),
    ...properties,
  });
}
