import { fstatSync } from "node:fs";
import type { LogFormat } from "./log_format.ts";

/** Returns the format of log lines on standard output: as text, they are the journal's where that reads them. */
export function logFormatFor(asked: "text" | "json"): LogFormat {
  return asked === "text" && isJournal(Deno.env.get("JOURNAL_STREAM"), deviceOfStdout()) ? "journal" : asked;
}

/**
 * Returns whether standard output is the stream to journald that systemd has named in JOURNAL_STREAM. A program that
 * inherits the variable, and writes elsewhere, is not meant.
 */
export function isJournal(named: string | undefined, stdout: string | undefined): boolean {
  return named !== undefined && named !== "" && named === stdout;
}

function deviceOfStdout(): string | undefined {
  try {
    const { dev, ino } = fstatSync(1);
    return `${dev}:${ino}`;
  } catch {
    // It is closed.
    return undefined;
  }
}
