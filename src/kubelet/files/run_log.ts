import type { EpochMs } from "../../base/epoch_ms.ts";
import { cutMark, type LogCut, punchHole, readCut, writeCut } from "./log_cut.ts";
import { readAt, readText, removeFile, replaceFile, sizeOf } from "./disk.ts";
import type { RunFiles } from "./run_files.ts";

/** Some of a line's way through: what was there by `at` ends at `end`. */
interface Seen {
  readonly at: EpochMs;
  readonly end: number;
}

/** How much of a run's output is kept, in bytes. */
export interface LogLimits {
  /** Of its beginning. */
  readonly head: number;
  /** Of its end, at least. */
  readonly tail: number;
  /** By how much it may grow beyond these before something is cut out. */
  readonly slack: number;
  /** Of the index of times. */
  readonly index: number;
}

const MIB = 1024 * 1024;

export const LOG_LIMITS: LogLimits = { head: 10 * MIB, tail: 30 * MIB, slack: 10 * MIB, index: MIB };

/** A piece of a log; `next` is where to go on reading. */
export interface LogPiece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offset: number;
  readonly next: number;
}

const BLOCK = 64 * 1024;
const NEWLINE = 10;

/**
 * The output of one run, which its process writes straight to a file. An offset counts from the first byte that the run
 * ever wrote.
 *
 * Guarantees: no byte is lost that the process writes while we work on the file, so that the end of the output is always
 * there. Of an output that is too long the middle is cut out, at line breaks, and a line says so in its place.
 *
 * Flow
 * 1. A hole is punched into the file: its blocks are free, which makes room on a full disk, and all offsets stay as they
 *    are.
 * 2. `<n>.cut` says where. If the program ends before that, zeros stand there until the next look cuts at the same place.
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

  /** Some bytes from `offset` on; empty at the end. What was cut out is one piece, with a line that says so. */
  read(offset: number, maxBytes = BLOCK): LogPiece {
    const cut = readCut(this.#files.cut);
    if (cut && offset >= cut.from && offset < cut.to) {
      return { bytes: cutMark(cut, offset, this.#endsLine(offset)), offset, next: cut.to };
    }
    const until = cut && offset < cut.from ? cut.from : this.end;
    const bytes = readAt(this.#files.log, offset, Math.max(0, Math.min(maxBytes, until - offset)));
    return { bytes, offset, next: offset + bytes.length };
  }

  /** Where the last `lines` lines begin. */
  offsetOfTail(lines: number): number {
    const { end } = this;
    if (lines <= 0) return end;
    const cut = readCut(this.#files.cut);
    let found = 0;
    const parts = cut ? [[cut.to, end], [0, cut.from]] as const : [[0, end]] as const;
    for (const [start, partEnd] of parts) {
      for (let blockEnd: number = partEnd; blockEnd > start;) {
        const blockStart = Math.max(start, blockEnd - BLOCK);
        const bytes = readAt(this.#files.log, blockStart, blockEnd - blockStart);
        for (let index = bytes.length - 1; index >= 0; index--) {
          // The line break at the very end closes the last line and begins none.
          if (bytes[index] !== NEWLINE || blockStart + index === end - 1) continue;
          if (++found === lines) return blockStart + index + 1;
        }
        blockEnd = blockStart;
      }
    }
    return 0;
  }

  /** Where what was seen at `instant` or later begins, with the line about what was cut out of it. */
  offsetSince(instant: EpochMs): number {
    const cut = readCut(this.#files.cut);
    let before = 0;
    for (const { at, end } of this.#seen()) {
      if (at >= instant) break;
      before = Math.max(before, end);
    }
    return cut && before > cut.from && before < cut.to ? cut.from : before;
  }

  /** Returns the time of an offset. Called in rising order of offsets. What was not seen before is seen `now`. */
  clock(now: () => EpochMs): (offset: number) => EpochMs {
    let seen: Seen[] = [];
    let size = -1;
    let index = 0;
    return (offset) => {
      // It is read again only if there is more in it: a call may be made for each line.
      if (index >= seen.length && size !== this.#timesSize) {
        size = this.#timesSize;
        seen = this.#seen();
        index = 0;
      }
      let next = seen[index];
      while (next && next.end <= offset) next = seen[++index];
      return next?.at ?? now();
    };
  }

  get #timesSize(): number {
    return sizeOf(this.#files.times) ?? 0;
  }

  /** Until where new output was noted by {@linkcode noteSeen}, in this life of the program or an earlier one. */
  get seenEnd(): number {
    return this.#seen().at(-1)?.end ?? 0;
  }

  /** Forgets what was cut out, and when what was seen. Called once the output itself was thrown away. */
  startAnew(): void {
    removeFile(this.#files.cut);
    removeFile(this.#files.times);
  }

  noteSeen(seen: Seen): void {
    Deno.writeTextFileSync(this.#files.times, `${seen.at} ${seen.end}\n`, { append: true, mode: 0o600 });
  }

  /** Cuts out of the middle what is too much. The process may go on writing meanwhile. */
  keepWithin(limits: LogLimits): void {
    if (this.#timesSize > limits.index) this.#thinTimes();
    const { end } = this;
    const before = readCut(this.#files.cut);
    const kept = before ? before.from + end - before.to : end;
    if (!this.#canPunch || kept <= limits.head + limits.tail + limits.slack) return;
    const cut = this.#nextCut(before, end, limits);
    this.#canPunch = punchHole(this.#files.log, cut);
    if (this.#canPunch) writeCut(this.#files.cut, cut);
  }

  #nextCut(before: LogCut | undefined, end: number, { head, tail }: LogLimits): LogCut {
    const from = before?.from ?? this.#lineEndBefore(head, 0);
    const to = this.#lineEndBefore(end - tail, before?.to ?? from);
    return { from, to };
  }

  /** Behind the last line break of the block before `offset`, and from `least` on; at `offset`, if there is none. */
  #lineEndBefore(offset: number, least: number): number {
    const start = Math.max(least, offset - BLOCK);
    const newline = readAt(this.#files.log, start, offset - start).lastIndexOf(NEWLINE);
    return newline < 0 ? offset : start + newline + 1;
  }

  #endsLine(offset: number): boolean {
    return offset === 0 || readAt(this.#files.log, offset - 1, 1)[0] === NEWLINE;
  }

  #thinTimes(): void {
    const cut = readCut(this.#files.cut);
    const isLeft = ({ end }: Seen) => !cut || end <= cut.from || end > cut.to;
    const seen = this.#seen().filter(isLeft);
    // Of two, the later one: what the earlier one stood for counts as seen then.
    const kept = seen.filter((_, index) => (seen.length - 1 - index) % 2 === 0);
    replaceFile(this.#files.times, kept.map(({ at, end }) => `${at} ${end}\n`).join(""));
  }

  #seen(): Seen[] {
    return (readText(this.#files.times) ?? "").split("\n").filter((line) => line.includes(" ")).map((line) => {
      const [at, end] = line.split(" ");
      return { at: Number(at), end: Number(end) };
    });
  }
}

/** Returns whether a write failed as there is no room, of the disk or of the quota. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "ENOSPC" || code === "EDQUOT";
}
