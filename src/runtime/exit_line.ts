/** How a container ended, as its Pod's status says it. */
export interface ContainerEnd {
  /** Undefined where no container has ended. */
  readonly exitCode: number | undefined;
  /** `Error`, `OOMKilled`, `Evicted`, … */
  readonly reason?: string | undefined;
  /** The termination message, or the end of the log in its place. */
  readonly message?: string | undefined;
  /** The name of an init container. */
  readonly initContainer?: string | undefined;
}

/** Exit codes that a shell, or a signal, gives a meaning of its own. */
const MEANINGS: Readonly<Record<number, string>> = {
  126: "command cannot be executed",
  127: "command not found",
  134: "aborted by SIGABRT",
  137: "killed by SIGKILL",
  139: "crashed with SIGSEGV",
  143: "ended by SIGTERM",
};

/**
 * Returns in one short line how a container failed: `exit 3: no such table`, `exit 127, command not found`,
 * `OOMKilled (exit 137)`, `init container migrate: exit 1`.
 */
export function exitLine({ exitCode, reason = "Error", message = "", initContainer }: ContainerEnd): string {
  const who = initContainer === undefined ? "" : `init container ${initContainer}: `;
  const line = lastLineOf(message);
  const meaning = exitCode === undefined || line !== "" ? undefined : MEANINGS[exitCode];
  const exit = exitCode === undefined ? undefined : `exit ${exitCode}`;
  const bare = exit && meaning ? `${exit}, ${meaning}` : exit ?? reason;
  const named = exit === undefined ? reason : `${reason} (${exit})`;
  return who + (reason === "Error" ? bare : named) + (line === "" ? "" : `: ${line}`);
}

const MAX_LINE = 200;

/** Returns the last line that says something, without control characters and the colours that they make. */
export function lastLineOf(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}(\[[\d;]*[A-Za-z])?/gu, " ").trim());
  const line = [...lines.findLast((line) => line !== "") ?? ""];
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).join("")}…` : line.join("");
}
