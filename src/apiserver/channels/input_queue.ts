/** Of input that waits in memory; as much of it as one file gets. */
const MEMORY_BYTES = 8 * 1024 * 1024;

/** The memory that a chunk takes besides its bytes, so that many small ones are not kept for nothing. */
const CHUNK_BYTES = 128;

/** 1 GiB in all. */
const MAX_FILES = 128;

/**
 * Input that a client has sent and a command has not taken. A WebSocket cannot be asked to send less, so input for a slow
 * command goes to files without names, each of which goes once it is read.
 */
export class InputQueue implements Disposable {
  /** In order: older input first. */
  readonly #files: Deno.FsFile[] = [];
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #chunkBytes = 0;
  #hasEnded = false;
  #wake = () => {};

  /** @throws when too much waits */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#hasEnded || bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#chunkBytes += bytes.length + CHUNK_BYTES;
    if (this.#chunkBytes >= MEMORY_BYTES) this.#store();
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  [Symbol.dispose](): void {
    this.#takeChunks();
    for (const file of this.#files.splice(0)) file.close();
    this.end();
  }

  /** Yields the input in order until {@linkcode end}. */
  async *take(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (;;) {
      const file = this.#files.shift();
      if (file) yield* file.readable;
      else if (this.#chunks.length > 0) yield* this.#takeChunks();
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  #takeChunks(): Uint8Array<ArrayBuffer>[] {
    this.#chunkBytes = 0;
    return this.#chunks.splice(0);
  }

  #store(): void {
    if (this.#files.length >= MAX_FILES) {
      const limit = "Cannot keep standard input: more than 1 GiB waits for the command to read";
      throw new Error(`${limit}; send it in parts, each with a command of its own`);
    }
    const file = unnamedFile();
    this.#files.push(file);
    for (const chunk of this.#takeChunks()) {
      for (let at = 0; at < chunk.length;) at += file.writeSync(chunk.subarray(at));
    }
    file.seekSync(0, Deno.SeekMode.Start);
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
