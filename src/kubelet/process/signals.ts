/** The signals that end a process by themselves; the numbers are alike on Linux and macOS where a shell sees them. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** Returns the exit code as a shell sees it: 128 + n for signal n. */
export function exitCodeOf(code: number | null, signal: string | null): number {
  return signal ? 128 + (SIGNALS[signal] ?? 0) : code ?? 128;
}
