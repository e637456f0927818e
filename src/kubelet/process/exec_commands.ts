import type { ContainerSession } from "../../kube/container_session.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { ExecResult } from "../container_runtime.ts";

/** What is kept of a command's output. */
const MAX_OUTPUT = 64 * 1024;

const TIMED_OUT = 124;

/** Runs commands beside a container's process, each to its end. */
export class ExecCommands {
  readonly #clock: Clock;
  readonly #open = new Set<ContainerSession>();

  /** @param ended resolves once the container has ended, and what it is asked by then with it */
  constructor({ clock, ended }: { readonly clock: Clock; readonly ended: Promise<unknown> }) {
    this.#clock = clock;
    ended.then(() => {
      for (const session of this.#open) session.end();
    });
  }

  /** Resolves with what a command comes to. One that takes longer is ended, with what it has started. */
  async run(session: ContainerSession, timeoutMs: number): Promise<ExecResult> {
    this.#open.add(session);
    const inTime = new AbortController();
    const readers = [session.stdout, session.stderr].flatMap((stream) => stream ? [stream.getReader()] : []);
    let isLate = false;
    this.#clock.sleep(timeoutMs, inTime.signal).then(() => {
      isLate = true;
      session.end();
      // A process that left the group may hold them.
      for (const reader of readers) reader.cancel().catch(() => {});
    }, () => {});
    try {
      const [code, ...texts] = await Promise.all([session.ended, ...readers.map(textOf)]);
      const output = texts.join("");
      if (!isLate) return { code, output };
      return { code: TIMED_OUT, output: `${output}command timed out after ${timeoutMs / 1000} s` };
    } finally {
      inTime.abort();
      this.#open.delete(session);
    }
  }
}

async function textOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (text.length < MAX_OUTPUT) text += decoder.decode(read.value, { stream: true });
  }
  return text;
}
