import { constants } from "node:os";

/** Returns the exit code as a shell sees it: 128 + n for signal n. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal ? 128 + constants.signals[signal] : code ?? 128;
}
