import type { ContainerSession } from "../../kube/container_session.ts";
import { after, type Clock, endsWithin } from "../../runtime/clock.ts";
import type { ExecResult } from "../runtime.ts";

/** What is kept of a command's output. */
const MAX_OUTPUT = 64 * 1024;

const TIMED_OUT = 124;

/** How long a command that has ended is waited for to close its output: longer than its group has to end. */
const DRAIN_MS = 2_000;

/** How a command is run. */
export interface RunOptions {
  readonly timeoutMs: number;
  /**
   * Whether what a command that succeeds has left in the background goes on until the container ends. Takes a session that
   * keeps it. @default {false}
   */
  readonly keepsBackground?: boolean;
}

/** Runs commands beside a container's process, each to its end. */
export class ExecCommands {
  readonly #clock: Clock;
  /** Each ends a command, or what one has left. */
  readonly #open = new Set<() => void>();
  #hasEnded = false;

  /** @param ended resolves once the container has ended, and what it is asked by then with it */
  constructor({ clock, ended }: { readonly clock: Clock; readonly ended: Promise<unknown> }) {
    this.#clock = clock;
    ended.then(() => {
      this.#hasEnded = true;
      for (const end of this.#open) end();
    });
  }

  /** Resolves with what a command comes to. One that takes longer is ended, with what it has started. */
  async run(session: ContainerSession, { timeoutMs, keepsBackground = false }: RunOptions): Promise<ExecResult> {
    const outputs = [session.stdout, session.stderr].flatMap((stream) => stream ? [new Output(stream)] : []);
    const end = () => session.end();
    this.#open.add(end);
    let isLate = false;
    const timer = after(this.#clock, timeoutMs, () => {
      isLate = true;
      end();
    });
    let isKept = false;
    try {
      const code = await session.ended;
      timer[Symbol.dispose]();
      isKept = keepsBackground && code === 0 && !isLate && !this.#hasEnded;
      // In any case soon: what left the group may hold an output for ever.
      if (!isLate) await endsWithin(this.#clock, DRAIN_MS, Promise.all(outputs.map(({ isRead }) => isRead)));
      const output = outputs.map(({ text }) => text).join("");
      if (!isLate) return { code, output };
      return { code: TIMED_OUT, output: `${output}command timed out after ${timeoutMs / 1000} s` };
    } finally {
      timer[Symbol.dispose]();
      this.#open.delete(end);
      const endAll = () => {
        session.end();
        for (const output of outputs) output.close();
      };
      if (isKept && !this.#hasEnded) this.#open.add(endAll);
      else endAll();
    }
  }
}

/** Reads what a command writes until it is closed, and keeps the beginning. */
class Output {
  text = "";
  readonly isRead: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.isRead = this.#read();
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
