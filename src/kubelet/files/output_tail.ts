import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { criReader } from "./cri_log.ts";
import type { RunFiles } from "./run_files.ts";
import { LOG_LIMITS, type LogLimits, type RunLog } from "./run_log.ts";

/** Longer lines that have not ended are handed on in pieces. */
const MAX_LINE = 16 * 1024;

const NEWLINE = 10;

/** The output that is handed on at a time; a container that writes more must not keep all others waiting. */
const MAX_HANDED_ON = { lines: 500, bytes: 64 * 1024 };

const logger = loggerFor("kubelet");

export interface OutputTailOptions {
  readonly clock: Clock;
  /** @default {LOG_LIMITS} */
  readonly limits?: LogLimits;
  readonly onLine?: ((line: string) => void) | undefined;
  /** @default {"plain"} */
  readonly format?: RunFiles["logFormat"];
}

/**
 * Looks at a run's growing output: notes when what was there, keeps the file within its limits, hands complete lines on.
 * Where the disk is full, the times are not noted, which is said once. Of output that comes too fast, its end is handed
 * on, and a line in place of the rest.
 */
export class OutputTail {
  readonly #log: RunLog;
  readonly #options: OutputTailOptions;
  #offset: number;
  /** Returns what the container wrote, for a piece of its log. */
  #textOf!: (bytes: Uint8Array<ArrayBuffer>) => string;
  /** Of a line that the container has not ended. */
  #rest = "";
  #told = false;

  constructor(log: RunLog, options: OutputTailOptions) {
    this.#log = log;
    this.#options = options;
    this.#offset = log.seenEnd;
    this.#beginLine();
  }

  look(): void {
    this.#attempt(() => this.#look());
  }

  /** Once the run is over and no more will come. */
  close(): void {
    this.look();
    if (this.#rest !== "") this.#options.onLine?.(this.#rest);
    this.#rest = "";
    // A former life may have ended between noting and cutting.
    this.#keepWithin();
  }

  #look(): void {
    const { end } = this.#log;
    if (end < this.#offset) this.#startAnew();
    if (end <= this.#offset) return;
    this.#attempt(() => this.#log.noteSeen({ at: this.#options.clock.now(), end }));
    if (this.#options.onLine) this.#handOn(end, this.#options.onLine);
    this.#offset = end;
    this.#keepWithin();
  }

  #keepWithin(): void {
    this.#attempt(() => this.#log.keepWithin(this.#options.limits ?? LOG_LIMITS));
  }

  /** The earlier output is gone: the container has truncated the file that its output goes to. */
  #startAnew(): void {
    this.#attempt(() => this.#log.startAnew());
    this.#offset = 0;
    this.#beginLine();
    this.#options.onLine?.("[the container has truncated its log: what it wrote before is lost]");
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (this.#told) return;
      this.#told = true;
      logger.error("Cannot keep a container's output in order: {error}", { error });
    }
  }

  #beginLine(): void {
    const plain = this.#options.format === "cri" ? criReader({ timestamps: false }) : (bytes: Uint8Array) => bytes;
    const decoder = new TextDecoder();
    this.#textOf = (bytes) => decoder.decode(plain(bytes), { stream: true });
    this.#rest = "";
  }

  #handOn(end: number, onLine: (line: string) => void): void {
    const from = Math.max(this.#offset, end - MAX_HANDED_ON.bytes);
    let { bytes } = this.#log.read(from, end - from);
    if (from > this.#offset) {
      this.#beginLine();
      bytes = bytes.subarray(bytes.indexOf(NEWLINE) + 1);
    }
    const lines = `${this.#rest}${this.#textOf(bytes)}`.split("\n");
    this.#rest = lines.pop()!;
    const shown = lines.slice(-MAX_HANDED_ON.lines);
    if (from > this.#offset || shown.length < lines.length) {
      onLine("[more before this, too fast to show: kubectl logs has what is kept of it]");
    }
    for (const line of shown) onLine(line);
    for (; this.#rest.length > MAX_LINE; this.#rest = this.#rest.slice(MAX_LINE)) onLine(this.#rest.slice(0, MAX_LINE));
  }
}
