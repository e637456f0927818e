import { messageOf } from "./message_of.ts";

/** The size beyond which a log goes on in a new file. */
const MAX_BYTES = 10 * 1024 ** 2;

/**
 * A log in a file. A file that is too large becomes `<path>.1`, in place of a former one, so that both together are bounded.
 *
 * Guarantees: after `open`, a full disk or a missing folder costs lines and nothing else. A file that cannot be renamed grows
 * on. A path that is no file's, such as a terminal's, is never renamed.
 */
export class LogFile implements Disposable {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: Deno.FsFile | undefined;
  #bytes = 0;
  /** The size, in bytes, beyond which the file is to be renamed. */
  #renameAt: number;
  #hasComplained = false;
  readonly #complain: (line: string) => void;

  /** @param complain called once, when the file cannot be renamed */
  constructor(path: string, maxBytes = MAX_BYTES, complain: (line: string) => void = console.error) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#renameAt = maxBytes;
    this.#complain = complain;
  }

  /** Opens the file. @throws where it cannot be written */
  open(): void {
    this.#file ??= this.#open();
  }

  /** Writes a line, or loses it. @param line without a line end */
  write(line: string): void {
    try {
      this.#write(new TextEncoder().encode(`${line}\n`));
    } catch {
      // For the next line the file is opened anew.
      this[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #write(bytes: Uint8Array): void {
    let file = this.#file ??= this.#open();
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#renameAt && this.#rename()) {
      this[Symbol.dispose]();
      file = this.#file = this.#open();
    }
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    this.#bytes += bytes.length;
  }

  /** Returns whether the path is free for a new file. */
  #rename(): boolean {
    try {
      Deno.renameSync(this.#path, `${this.#path}.1`);
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return true;
      this.#renameAt = this.#bytes + this.#maxBytes;
      if (!this.#hasComplained) this.#complain(`Cannot rename ${this.#path}, which grows on: ${messageOf(error)}`);
      this.#hasComplained = true;
      return false;
    }
  }

  #open(): Deno.FsFile {
    const file = Deno.openSync(this.#path, { append: true, create: true, mode: 0o600 });
    const { isFile, size } = file.statSync();
    this.#bytes = size;
    this.#renameAt = isFile ? this.#maxBytes : Infinity;
    return file;
  }
}
