import { concat } from "../../kube/byte_source.ts";
import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { readCriLine } from "./cri_log.ts";
import type { RunFiles } from "./run_files.ts";
import type { LogLimits, RunLog } from "./run_log.ts";

/** Longer lines are handed on in pieces. */
const MAX_LINE_BYTES = 16 * 1024;

const BLOCK = 64 * 1024;
const NEWLINE = 10;

/** What is handed on at one look; a container that puts out more must not keep all others waiting. */
const MAX_HANDED_ON = { lines: 500, bytes: 64 * 1024 };

const logger = loggerFor("kubelet");

/**
 * Looks at a run's growing output: notes when what was there, keeps the file within its limits, hands complete lines on.
 * Where the disk is full, the times are not noted, which is said once. Of output that comes too fast, a part is handed
 * on, and a line in place of the rest.
 */
export class OutputTail {
  readonly #log: RunLog;
  readonly #clock: Clock;
  readonly #limits: LogLimits;
  readonly #onLine: ((line: string) => void) | undefined;
  #offset: number;
  #rest = new Uint8Array(0);
  /** Of a line that the container has not ended. */
  #line: Uint8Array = new Uint8Array(0);
  readonly #format: RunFiles["logFormat"];
  #told = false;

  constructor(
    log: RunLog,
    options: { clock: Clock; limits: LogLimits; onLine?: (line: string) => void; format?: RunFiles["logFormat"] },
  ) {
    this.#log = log;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#onLine = options.onLine;
    this.#format = options.format ?? "plain";
    this.#offset = log.seenEnd;
  }

  look(): void {
    this.#attempt(() => this.#look());
  }

  #look(): void {
    const { end } = this.#log;
    if (end < this.#offset) this.#startAnew();
    if (end <= this.#offset) return;
    this.#attempt(() => this.#log.noteSeen({ at: this.#clock.now(), end }));
    if (this.#onLine) this.#handOn(end);
    this.#offset = end;
    this.#attempt(() => this.#log.keepWithin(this.#limits));
  }

  /** What was there is gone: the container has truncated the file that its output goes to. */
  #startAnew(): void {
    this.#attempt(() => this.#log.startAnew());
    this.#offset = 0;
    this.#rest = new Uint8Array(0);
    this.#line = new Uint8Array(0);
    this.#onLine?.("[the container has truncated its log: what it wrote before is lost]");
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

  /** Once the run is over and no more will come. */
  close(): void {
    this.look();
    if (this.#rest.length > 0) this.#emit(this.#rest);
    this.#rest = new Uint8Array(0);
    // A former life may have ended between noting and cutting.
    this.#attempt(() => this.#log.keepWithin(this.#limits));
  }

  #handOn(end: number): void {
    const until = Math.min(end, this.#offset + MAX_HANDED_ON.bytes);
    let lines = 0;
    let offset = this.#offset;
    while (offset < until && lines < MAX_HANDED_ON.lines) {
      const read = this.#log.read(offset, Math.min(until - offset, BLOCK));
      if (read.bytes.length === 0) break;
      offset = read.next;
      let bytes: Uint8Array = concat([this.#rest, read.bytes]);
      for (; lines < MAX_HANDED_ON.lines; lines++) {
        const newline = bytes.indexOf(NEWLINE);
        const cut = newline >= 0 ? newline : bytes.length > MAX_LINE_BYTES ? MAX_LINE_BYTES : -1;
        if (cut < 0) break;
        this.#emit(bytes.subarray(0, cut));
        bytes = bytes.subarray(newline >= 0 ? cut + 1 : cut);
      }
      this.#rest = Uint8Array.from(bytes);
    }
    if (offset < end || lines === MAX_HANDED_ON.lines) this.#leaveOut({ offset: offset - this.#rest.length, end });
  }

  /** Goes on with the line that is unfinished at `end`. */
  #leaveOut({ offset, end }: { offset: number; end: number }): void {
    const { bytes } = this.#log.read(Math.max(offset, end - MAX_LINE_BYTES), MAX_LINE_BYTES);
    this.#rest = Uint8Array.from(bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1));
    const leftOut = end - offset - this.#rest.length;
    if (leftOut > 0) this.#onLine!(`[${leftOut} bytes more, too fast to show: kubectl logs has what is kept of them]`);
  }

  #emit(bytes: Uint8Array): void {
    if (this.#format === "plain") return this.#onLine?.(new TextDecoder().decode(bytes));
    const { text, endsLine } = readCriLine(bytes);
    this.#line = concat([this.#line, text]);
    if (!endsLine && this.#line.length < MAX_LINE_BYTES) return;
    this.#onLine?.(new TextDecoder().decode(this.#line));
    this.#line = new Uint8Array(0);
  }
}
