import { onAbort } from "../base/abort.ts";
import { type Clock, endsWithin } from "../base/clock.ts";
import type { RunningContainer } from "./runtime.ts";

/** The result of a command in a container. */
export interface ExecResult {
  readonly code: number;
  /** Both of its streams. */
  readonly output: string;
}

/** The bytes of a command's output that are kept. */
const MAX_OUTPUT = 64 * 1024;

const TIMED_OUT = 124;

/** How long a command that has ended is waited for to close its output: longer than its group has to end. */
const DRAIN_MS = 2_000;

/**
 * Runs a command in a container, as its probes do. What it has started ends with it; one that takes longer is ended.
 *
 * @param options.over aborted once the container has ended or is left, and the command with it
 * @throws an error if the runtime does not start it
 */
export async function execIn(
  { open, execOverheadMs = 0 }: Pick<RunningContainer, "open" | "execOverheadMs">,
  command: readonly string[],
  { clock, timeoutMs, over }: { readonly clock: Clock; readonly timeoutMs: number; readonly over: AbortSignal },
): Promise<ExecResult> {
  const session = await open({ command, stdin: false, tty: false });
  const cut = new AbortController();
  const outputs = [session.stdout, session.stderr].flatMap((stream) => stream ? [read(stream, cut.signal)] : []);
  const end = () => {
    session.end();
    cut.abort();
  };
  using _ending = onAbort(over, end);
  try {
    const isInTime = await endsWithin(clock, timeoutMs + execOverheadMs, session.ended);
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

/** Reads what a command writes until it is closed or cut off, and keeps the beginning. */
function read(stream: ReadableStream<Uint8Array>, signal: AbortSignal) {
  const decoder = new TextDecoder();
  const output = { text: "", isRead: Promise.resolve() };
  const write = (bytes: Uint8Array) => {
    if (output.text.length < MAX_OUTPUT) output.text += decoder.decode(bytes, { stream: true });
  };
  output.isRead = stream.pipeTo(new WritableStream({ write }), { signal }).catch(() => {/* It was cut off. */});
  return output;
}
