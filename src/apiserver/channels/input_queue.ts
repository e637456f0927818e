/** What waits in memory. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** What waits in all. */
const MAX_SPOOLED_BYTES = 1024 * 1024 * 1024;

/** A file grows to this; it goes once all of it is read, so that a process that is always behind fills no disk. */
const SEGMENT_BYTES = 64 * 1024 * 1024;

const PIECE_BYTES = 64 * 1024;

/** A file without a name. */
interface Segment {
  readonly file: Deno.FsFile;
  written: number;
  read: number;
}

/**
 * What a client has sent and the process has not taken. A WebSocket cannot be asked to send less, so what a slow process
 * lets wait goes to files without names, and memory stays flat.
 */
export class InputQueue implements Disposable {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  /** Those that are not read to their end, the first to be read first. */
  readonly #segments: Segment[] = [];
  #spooledBytes = 0;
  #ended = false;
  #wake = () => {};

  /** @throws when too much waits */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#ended || bytes.length === 0) return;
    if (this.#spooledBytes > 0 || this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) this.#store(bytes);
    else {
      this.#chunks.push(bytes);
      this.#waitingBytes += bytes.length;
    }
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  [Symbol.dispose](): void {
    this.end();
    this.#chunks.length = 0;
    this.#spooledBytes = 0;
    for (const { file } of this.#segments.splice(0)) file.close();
  }

  /** Yields what was pushed, in order, until {@linkcode end}. */
  async *take(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#waitingBytes -= chunk.length;
        yield chunk;
      } else if (this.#spooledBytes > 0) yield this.#load();
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  #store(bytes: Uint8Array): void {
    if (this.#spooledBytes + bytes.length > MAX_SPOOLED_BYTES) {
      throw new Error(
        `Cannot keep standard input: more than ${MAX_SPOOLED_BYTES} bytes wait for the process to read; ` +
          "send it in parts, each with a command of its own",
      );
    }
    let segment = this.#segments.at(-1);
    if (!segment || segment.written >= SEGMENT_BYTES) {
      segment = { file: unnamedFile(), written: 0, read: 0 };
      this.#segments.push(segment);
    }
    segment.file.seekSync(segment.written, Deno.SeekMode.Start);
    for (let at = 0; at < bytes.length;) at += segment.file.writeSync(bytes.subarray(at));
    segment.written += bytes.length;
    this.#spooledBytes += bytes.length;
  }

  #load(): Uint8Array<ArrayBuffer> {
    const segment = this.#segments[0]!;
    const piece = new Uint8Array(Math.min(PIECE_BYTES, segment.written - segment.read));
    segment.file.seekSync(segment.read, Deno.SeekMode.Start);
    const length = segment.file.readSync(piece);
    if (!length) throw new Error("Cannot read standard input back: its file has become shorter");
    segment.read += length;
    this.#spooledBytes -= length;
    if (segment.read === segment.written) {
      this.#segments.shift();
      segment.file.close();
    }
    return piece.subarray(0, length);
  }
}

function unnamedFile(): Deno.FsFile {
  const path = Deno.makeTempFileSync({ prefix: "cronjob-controller-stdin-" });
  try {
    return Deno.openSync(path, { read: true, write: true });
  } finally {
    Deno.removeSync(path);
  }
}
