import type { ContainerSession } from "../kube/container_session.ts";
import { onAbort } from "../base/abort.ts";
import { type Clock, endsWithin } from "../base/clock.ts";
import type { RunningContainer } from "./runtime.ts";

/** What a command in a container came to. */
export interface ExecResult {
  readonly code: number;
  /** Both of its streams. */
  readonly output: string;
}

/** What is kept of a command's output. */
const MAX_OUTPUT = 64 * 1024;

const TIMED_OUT = 124;

/** How long a command that has ended is waited for to close its output: longer than its group has to end. */
const DRAIN_MS = 2_000;

/** How a command is run. */
export interface CommandOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** The time that the runtime itself may take besides. @default {0} */
  readonly overheadMs?: number;
  /** Aborted once the container has ended or is left, and the command with it. */
  readonly over: AbortSignal;
}

/**
 * Runs a command in a container, as its probes and hooks do.
 *
 * @throws an error if the runtime does not start it
 */
export async function execIn(
  container: Pick<RunningContainer, "open" | "execOverheadMs">,
  command: readonly string[],
  options: CommandOptions,
): Promise<ExecResult> {
  const session = await container.open({ command, stdin: false, tty: false });
  return await resultOf(session, { overheadMs: container.execOverheadMs, ...options });
}

/** Resolves with what a command comes to. What it has started ends with it; one that takes longer is ended. */
export async function resultOf(session: ContainerSession, options: CommandOptions): Promise<ExecResult> {
  const { clock, timeoutMs, overheadMs = 0, over } = options;
  const outputs = [session.stdout, session.stderr].flatMap((stream) => stream ? [new Output(stream)] : []);
  const end = () => {
    session.end();
    for (const output of outputs) output.close();
  };
  using _ending = onAbort(over, end);
  try {
    const isInTime = await endsWithin(clock, timeoutMs + overheadMs, session.ended);
    if (!isInTime) session.end();
    const code = await session.ended;
    // In any case soon: what left the group may hold an output for ever.
    if (isInTime) await endsWithin(clock, DRAIN_MS, Promise.all(outputs.map(({ isRead }) => isRead)));
    const output = outputs.map(({ text }) => text).join("");
    if (isInTime) return { code, output };
    return { code: TIMED_OUT, output: `${output}command timed out after ${timeoutMs / 1000} s` };
  } finally {
    end();
  }
}

/** Reads what a command writes until it is closed, and keeps the beginning. */
class Output {
  text = "";
  readonly isRead: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.isRead = this.#read().catch(() => {/* It was cut off: what has come by then is all there is. */});
  }

  close(): void {
    this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for (let read = await this.#reader.read(); !read.done; read = await this.#reader.read()) {
      if (this.text.length < MAX_OUTPUT) this.text += decoder.decode(read.value, { stream: true });
    }
  }
}
