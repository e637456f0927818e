import { fstatSync } from "node:fs";
import type { LogFormat } from "./log_format.ts";

/** Returns the format of log lines on standard output: for `text`, the journal's format where journald reads them. */
export function logFormatFor(asked: "text" | "json"): LogFormat {
  return asked === "text" && isJournal(Deno.env.get("JOURNAL_STREAM"), deviceOfStdout()) ? "journal" : asked;
}

/**
 * Returns whether standard output is the stream to journald that systemd has named in JOURNAL_STREAM: a program may inherit the
 * variable, and write elsewhere.
 */
export function isJournal(named: string | undefined, stdout: string | undefined): boolean {
  return named !== undefined && named !== "" && named === stdout;
}

function deviceOfStdout(): string | undefined {
  try {
    const { dev, ino } = fstatSync(1);
    return `${dev}:${ino}`;
  } catch {
    // Standard output is closed.
    return undefined;
  }
}
