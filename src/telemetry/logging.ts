import { configureSync, getLogger, type LoggerConfig, type LogLevel, type LogRecord } from "@logtape/logtape";
import { formatterFor, type LogFormat } from "./log_format.ts";
import type { LogProperties } from "./log_keys.ts";

export type { LogLevel };

/** Of `Given`, no other keys than those that are listed. */
type Listed<Given> = Given & { readonly [Key in Exclude<keyof Given, keyof LogProperties>]: never };

type Log = <Given extends LogProperties>(message: string, properties?: Listed<Given>) => void;

/**
 * Takes a constant message, which may name properties (`Started a run of {key}`), and the properties.
 *
 * - `error`: someone must act. `warn`: something went wrong, and is being dealt with.
 * - `info`: the world changed. `debug`: the rest.
 */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  /** Whether it is worth while to gather properties for this level. */
  isEnabledFor(level: LogLevel): boolean;
}

/** Root of every logger's category; the rest names the area: `["cronjob-controller", "cronjob"]`. */
const ROOT_CATEGORY = "cronjob-controller";

/** Returns a logger for one area of the program. Silent until {@linkcode configureLogging} was called. */
export function loggerFor(...area: string[]): Logger {
  return getLogger([ROOT_CATEGORY, ...area]) as Logger;
}

export interface LoggingOptions {
  /** The least level that is written. */
  level: LogLevel;
  format: LogFormat;
  /** Takes one line, without a line end. @default console.error */
  write?: (line: string) => void;
  /** Areas of which only warnings and worse are written, unless everything is. */
  quiet?: readonly string[];
}

/** The log as it is being written. */
export interface Logging {
  /** Writes everything, or again what was asked for in the beginning (`info` if that was everything). */
  toggleDebug(): void;
}

/** Sends the whole program's log somewhere; called once, by the command that runs. */
export function configureLogging(options: LoggingOptions): Logging {
  const logger = loggerFor("log");
  const usual = options.level === "debug" ? "info" : options.level;
  let level = options.level;
  writeFrom(level, options);
  return {
    toggleDebug() {
      const next = level === "debug" ? usual : "debug";
      // Said while everything is written, whichever way it goes.
      if (next === "debug") writeFrom(next, options);
      logger.info("The log level is {logLevel} from now on", { logLevel: next });
      if (next !== "debug") writeFrom(next, options);
      level = next;
    },
  };
}

function writeFrom(level: LogLevel, { format, write = console.error, quiet = [] }: LoggingOptions): void {
  const formatRecord = formatterFor(format, { withStacks: level === "debug" });
  configureSync({
    reset: true,
    sinks: { lines: (record: LogRecord) => write(formatRecord(record)) },
    loggers: [
      { category: ROOT_CATEGORY, lowestLevel: level, sinks: ["lines"] },
      ...level === "debug" ? [] : quiet.map(quietly),
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
    ],
  });
}

function quietly(area: string): LoggerConfig<"lines", string> {
  return { category: [ROOT_CATEGORY, area], parentSinks: "override", lowestLevel: "warning", sinks: ["lines"] };
}
