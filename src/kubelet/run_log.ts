import type { EpochMs } from "../schedule/epoch_ms.ts";
import { readText, type RunFiles } from "./run_files.ts";

/** A part of a run's output. Offsets count from the first byte that the run ever wrote. */
interface Segment {
  readonly path: string;
  readonly times: string;
  readonly start: number;
  readonly end: number;
}

/** Some of a line's way through: what was there by `at` ends at `end`. */
interface Seen {
  readonly at: EpochMs;
  readonly end: number;
}

export interface RotationLimits {
  /** Bytes of the file that is being written. */
  readonly maxBytes: number;
  /** Files kept, the one being written included. */
  readonly maxFiles: number;
}

export const ROTATION: RotationLimits = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 };

const BLOCK = 64 * 1024;
const NEWLINE = 10;

/**
 * The output of one run, which its process writes straight to a file.
 *
 * A process cannot be told to open another file, so rotation copies the file to `<n>.log.<offset of its first byte>` and
 * empties it. What is written between the look at its length and the emptying is lost: nothing or a line as a rule, some
 * milliseconds' worth if the process writes without a pause. Of a file that has grown beyond all limits between two looks,
 * the end is kept; of one that has filled the disk, nothing.
 *
 * Nothing between the process and the file could stamp lines. Beside the log stands `<n>.times`: one line
 * `<epoch ms> <offset>` each time that new output was seen, so a line's time is when it was seen first, to within the
 * interval of looking; what was written between two looks bears the time of the second.
 */
export class RunLog {
  readonly #files: RunFiles;

  constructor(files: RunFiles) {
    this.#files = files;
  }

  /** Bytes in the file that is being written: the cheapest way to see whether anything is new. */
  get currentSize(): number {
    return sizeOf(this.#files.log) ?? 0;
  }

  /** Where the output ends now. */
  get end(): number {
    return this.#segments().at(-1)?.end ?? 0;
  }

  /** Where what is kept of it begins. */
  get start(): number {
    return this.#segments()[0]?.start ?? 0;
  }

  /** Some bytes from `offset` on; empty at the end. An offset that is no longer kept reads from the oldest byte kept. */
  read(offset: number, maxBytes = BLOCK): { bytes: Uint8Array<ArrayBuffer>; offset: number } {
    const segments = this.#segments();
    const from = Math.max(offset, segments[0]?.start ?? 0);
    const segment = segments.find(({ end }) => from < end);
    if (!segment) return { bytes: new Uint8Array(0), offset: from };
    // Between two files there may be what rotation left out.
    const first = Math.max(from, segment.start);
    const bytes = readAt(segment.path, first - segment.start, Math.min(maxBytes, segment.end - first));
    return { bytes, offset: first };
  }

  /** Where the last `lines` lines begin. */
  offsetOfTail(lines: number): number {
    const segments = this.#segments();
    const end = segments.at(-1)?.end ?? 0;
    if (lines <= 0) return end;
    let found = 0;
    for (const { path, start, end: segmentEnd } of segments.reverse()) {
      for (let blockEnd = segmentEnd; blockEnd > start;) {
        const blockStart = Math.max(start, blockEnd - BLOCK);
        const bytes = readAt(path, blockStart - start, blockEnd - blockStart);
        for (let index = bytes.length - 1; index >= 0; index--) {
          // The line break at the very end closes the last line and begins none.
          if (bytes[index] !== NEWLINE || blockStart + index === end - 1) continue;
          if (++found === lines) return blockStart + index + 1;
        }
        blockEnd = blockStart;
      }
    }
    return this.start;
  }

  /** Where what was seen at `instant` or later begins. */
  offsetSince(instant: EpochMs): number {
    let before = this.start;
    for (const { at, end } of this.#seen()) {
      if (at >= instant) return before;
      before = Math.max(before, end);
    }
    return before;
  }

  /** Returns the time of an offset. Called in rising order of offsets. What was not seen before is seen `now`. */
  clock(now: () => EpochMs): (offset: number) => EpochMs {
    let seen = this.#seen();
    let index = 0;
    return (offset) => {
      if (index >= seen.length) {
        seen = this.#seen();
        index = 0;
      }
      while (index < seen.length && seen[index].end <= offset) index++;
      return seen[index]?.at ?? now();
    };
  }

  /** Until where new output was noted by {@linkcode noteSeen}, in this life of the program or an earlier one. */
  get seenEnd(): number {
    return this.#seen().at(-1)?.end ?? this.start;
  }

  noteSeen(seen: Seen): void {
    Deno.writeTextFileSync(this.#files.times, `${seen.at} ${seen.end}\n`, { append: true, mode: 0o600 });
  }

  /**
   * Rotates if the file has become too long. Its index counts too: many short lines, each seen by itself.
   *
   * @returns whether it did
   * @throws if the disk is full, after it has made room by emptying the file
   */
  rotate(limits: RotationLimits): boolean {
    const size = sizeOf(this.#files.log) ?? 0;
    if (size < limits.maxBytes && (sizeOf(this.#files.times) ?? 0) < limits.maxBytes) return false;
    if (size === 0) return false;
    const old = this.#segments();
    // Of what has come faster than we looked, the end is kept.
    const room = Math.max(1, limits.maxFiles - 1) * limits.maxBytes;
    const leftOut = Math.max(0, size - room);
    const start = old.at(-1)!.start + leftOut;
    const rotated = old.slice(0, -1);
    // First, as the copy may need their room.
    const tooMany = rotated.slice(0, Math.max(0, rotated.length + 2 - limits.maxFiles));
    const tooOld = rotated.filter(({ end }) => end <= start + size - leftOut - room);
    for (const { path, times } of new Set([...tooMany, ...tooOld])) {
      Deno.removeSync(path);
      if (sizeOf(times) !== undefined) Deno.removeSync(times);
    }
    const aside = `${this.#files.log}.${start}`;
    try {
      this.#copyTo(aside, { from: leftOut, until: size });
    } catch (error) {
      // A part of it would count as all that there was.
      removeFile(aside);
      if (!isDiskFull(error)) throw error;
      // What filled the disk goes, rather than everything else standing still. An empty file keeps the offsets right.
      Deno.truncateSync(this.#files.log, 0);
      Deno.writeTextFileSync(`${this.#files.log}.${old.at(-1)!.end}`, "", { mode: 0o600 });
      removeFile(this.#files.times);
      throw error;
    }
    Deno.truncateSync(this.#files.log, 0);
    if (sizeOf(this.#files.times) !== undefined) Deno.renameSync(this.#files.times, `${this.#files.times}.${start}`);
    return true;
  }

  /** Up to a point that is known before: a process may well write faster than we copy. */
  #copyTo(path: string, { from, until }: { from: number; until: number }): void {
    using to = Deno.openSync(path, { write: true, create: true, truncate: true, mode: 0o600 });
    for (let offset = from; offset < until;) {
      const bytes = readAt(this.#files.log, offset, Math.min(BLOCK, until - offset));
      if (bytes.length === 0) return;
      for (let written = 0; written < bytes.length;) written += to.writeSync(bytes.subarray(written));
      offset += bytes.length;
    }
  }

  #seen(): Seen[] {
    return this.#segments().flatMap(({ times }) =>
      (readText(times) ?? "").split("\n").filter((line) => line.includes(" ")).map((line) => {
        const [at, end] = line.split(" ");
        return { at: Number(at), end: Number(end) };
      })
    );
  }

  #segments(): Segment[] {
    const { directory, log, times } = this.#files;
    const prefix = log.slice(directory.length + 1) + ".";
    const starts: number[] = [];
    try {
      for (const { name } of Deno.readDirSync(directory)) {
        if (name.startsWith(prefix)) starts.push(Number(name.slice(prefix.length)));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    const segments: Segment[] = starts.sort((a, b) => a - b).map((start) => {
      const path = `${log}.${start}`;
      return { path, times: `${times}.${start}`, start, end: start + (sizeOf(path) ?? 0) };
    });
    const size = sizeOf(log);
    const start = segments.at(-1)?.end ?? 0;
    return size === undefined ? segments : [...segments, { path: log, times, start, end: start + size }];
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function isDiskFull(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "ENOSPC" || code === "EDQUOT";
}

function removeFile(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function readAt(path: string, position: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  using file = Deno.openSync(path);
  file.seekSync(position, Deno.SeekMode.Start);
  const bytes = new Uint8Array(maxBytes);
  return bytes.subarray(0, file.readSync(bytes) ?? 0);
}
