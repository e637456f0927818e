import type { EpochMs } from "../../base/epoch_ms.ts";
import { ifThere, readAt, readText, removePath, replaceFile, sizeOf } from "./disk.ts";
import type { RunFiles } from "./run_files.ts";

/** Some of a line's way through: what was there by `at` ends at `end`. */
interface Seen {
  readonly at: EpochMs;
  readonly end: number;
}

/** How much of a run's output is kept, in bytes. */
export interface LogLimits {
  /** Of its end, at least. */
  readonly kept: number;
  /** By how much it may grow beyond that before its beginning is cut off. */
  readonly slack: number;
  /** Of the index of times. */
  readonly index: number;
}

const MIB = 1024 * 1024;

export const LOG_LIMITS: LogLimits = { kept: 40 * MIB, slack: 10 * MIB, index: MIB };

/** A piece of a log; `next` is where to go on reading. */
export interface LogPiece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offset: number;
  readonly next: number;
}

/** Bytes that are read at a time. */
export const BLOCK = 64 * 1024;
/** Bytes of an index of times that hold its last line whole. */
const LAST_TIMES = 64;
const NEWLINE = 10;

/**
 * The output of one run, which its process writes straight to a file. An offset counts from the first byte that the run
 * ever wrote.
 *
 * Guarantees: no byte is lost that the process writes while we work on the file, so that the end of the output is always
 * there. Of an output that is too long the beginning is cut off, at a line break, and a line says so in its place.
 *
 * Flow
 * 1. A hole is punched into the file: its blocks are free, which makes room on a full disk, and all offsets stay as they
 *    are.
 * 2. `<n>.cut` says where it ends. If the program ends before that, zeros stand there until the next look cuts again.
 *
 * Assumptions: the process appends, as the shim opens the file for it. It may truncate the file (`> /dev/stderr` does):
 * a file that is shorter than before starts anew.
 *
 * Caveats: where no hole can be punched, the file is kept whole. Once a process has truncated its file and written more than
 * was there before the next look, the log goes on in the middle of that.
 *
 * Nothing between the process and the file could stamp lines. Beside the log stands `<n>.times`: one line
 * `<epoch ms> <offset>` each time that new output was seen, so a line's time is when it was seen first, to within the
 * interval of looking; what was written between two looks bears the time of the second. If it grows too long, every other
 * line goes.
 */
export class RunLog {
  readonly #files: Pick<RunFiles, "log" | "cut" | "times">;
  #canPunch = true;

  constructor(files: Pick<RunFiles, "log" | "cut" | "times">) {
    this.#files = files;
  }

  /** Where the output ends now. */
  get end(): number {
    return sizeOf(this.#files.log) ?? 0;
  }

  /** Where that begins which is kept. */
  get start(): number {
    return Number(readText(this.#files.cut) ?? 0);
  }

  /** Some bytes from `offset` on; empty at the end. What was cut off is one piece, with a line that says so. */
  read(offset: number, maxBytes = BLOCK): LogPiece {
    const { start } = this;
    if (offset < start) return { bytes: cutMark(offset, start), offset, next: start };
    const bytes = readAt(this.#files.log, offset, Math.max(0, Math.min(maxBytes, this.end - offset)));
    return { bytes, offset, next: offset + bytes.length };
  }

  /** Where the last `lines` lines begin. */
  offsetOfTail(lines: number): number {
    const { start, end } = this;
    if (lines <= 0) return end;
    let found = 0;
    for (let blockEnd = end; blockEnd > start;) {
      const blockStart = Math.max(start, blockEnd - BLOCK);
      const bytes = readAt(this.#files.log, blockStart, blockEnd - blockStart);
      for (let index = bytes.length - 1; index >= 0; index--) {
        // The line break at the very end closes the last line and begins none.
        if (bytes[index] !== NEWLINE || blockStart + index === end - 1) continue;
        if (++found === lines) return blockStart + index + 1;
      }
      blockEnd = blockStart;
    }
    return 0;
  }

  /** Where what was seen at `instant` or later begins. */
  offsetSince(instant: EpochMs): number {
    return this.#seen().findLast(({ at }) => at < instant)?.end ?? 0;
  }

  /** Returns the time of an offset. Called in rising order of offsets. What was not seen before is seen `now`. */
  clock(now: () => EpochMs): (offset: number) => EpochMs {
    let seen: Seen[] = [];
    let size = -1;
    let index = 0;
    const find = (offset: number) => {
      let next = seen[index];
      while (next && next.end <= offset) next = seen[++index];
      return next?.at;
    };
    return (offset) => {
      const at = find(offset);
      // It is read again only if there is more in it: a call may be made for each line.
      if (at !== undefined || size === this.#timesSize) return at ?? now();
      size = this.#timesSize;
      seen = this.#seen();
      index = 0;
      return find(offset) ?? now();
    };
  }

  get #timesSize(): number {
    return sizeOf(this.#files.times) ?? 0;
  }

  /** Until where new output was noted by {@linkcode noteSeen}, in this life of the program or an earlier one. */
  get seenEnd(): number {
    const size = this.#timesSize;
    const from = Math.max(0, size - LAST_TIMES);
    const last = seenIn(new TextDecoder().decode(readAt(this.#files.times, from, size - from))).at(-1);
    return last?.end ?? 0;
  }

  /** Forgets what was cut off, and when what was seen. Called once the output itself was thrown away. */
  startAnew(): void {
    removePath(this.#files.cut);
    removePath(this.#files.times);
  }

  noteSeen(seen: Seen): void {
    Deno.writeTextFileSync(this.#files.times, textOf(seen), { append: true, mode: 0o600 });
  }

  /** Cuts off the beginning of what is too long. The process may go on writing meanwhile. */
  keepWithin({ kept, slack, index }: LogLimits): void {
    if (this.#timesSize > index) this.#thinTimes();
    const { start, end } = this;
    if (!this.#canPunch || end - start <= kept + slack) return;
    const cut = this.#lineEndBefore(end - kept, start);
    this.#canPunch = punchHole(this.#files.log, cut);
    if (this.#canPunch) replaceFile(this.#files.cut, String(cut));
  }

  /** Behind the last line break of the block before `offset`, and from `least` on; at `offset`, if there is none. */
  #lineEndBefore(offset: number, least: number): number {
    const start = Math.max(least, offset - BLOCK);
    const newline = readAt(this.#files.log, start, offset - start).lastIndexOf(NEWLINE);
    return newline < 0 ? offset : start + newline + 1;
  }

  #thinTimes(): void {
    const seen = this.#seen();
    // Of two, the later one: what the earlier one stood for counts as seen then.
    const kept = seen.filter((_, index) => (seen.length - 1 - index) % 2 === 0);
    replaceFile(this.#files.times, kept.map(textOf).join(""));
  }

  #seen(): Seen[] {
    return seenIn(readText(this.#files.times) ?? "");
  }
}

function seenIn(text: string): Seen[] {
  return text.split("\n").filter((line) => line.includes(" ")).map((line) => {
    const [at, end] = line.split(" ");
    return { at: Number(at), end: Number(end) };
  });
}

function textOf({ at, end }: Seen): string {
  return `${at} ${end}\n`;
}

/** Returns the line that stands in the place of what was cut off, for a reader who was at `offset`. */
function cutMark(offset: number, start: number): Uint8Array<ArrayBuffer> {
  const text = `[${start - offset} bytes left out here: the container has written more than is kept]`;
  // A log that was overtaken may end in the middle of a line.
  return new TextEncoder().encode(`${offset === 0 ? "" : "\n"}${text}\n`);
}

/**
 * Returns the blocks of a file's beginning to the file system, without moving what stands behind it. A process may write to
 * the file meanwhile.
 *
 * @returns whether it did: not every file system, and not every system, has a way to
 */
function punchHole(path: string, end: number): boolean {
  if (Deno.build.os !== "linux") return false;
  const args = ["--punch-hole", "--offset", "0", "--length", String(end), path];
  const command = new Deno.Command("fallocate", { args, stdout: "null", stderr: "null" });
  return ifThere(() => command.outputSync().success) ?? false;
}
