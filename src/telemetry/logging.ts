import { getLogger, type Logger, type LogLevel } from "@logtape/logtape";

export type { Logger, LogLevel };
export { getLogger };

/** Root of every logger's category; the rest names the area: `["cronjob-controller", "cronjob"]`. */
export const ROOT_CATEGORY = "cronjob-controller";

/** A logger for one area of the program. Silent until the command line has configured a sink. */
export function loggerFor(...area: string[]): Logger {
  return getLogger([ROOT_CATEGORY, ...area]);
}
