import { messageOf } from "./message_of.ts";

/** Beyond this a log goes on in a new file. */
const MAX_BYTES = 10 * 1024 ** 2;

/**
 * A log in a file. Once that is too large it becomes `<path>.1`, in place of a former one, so that both together are bounded.
 *
 * Guarantees: once it was opened, a disk that is full, or a folder that is gone, costs lines and nothing else. Where it cannot
 * be renamed, it goes on as it is. What is no file, such as a terminal, is never renamed.
 */
export class LogFile implements Disposable {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: Deno.FsFile | undefined;
  #bytes = 0;
  /** Where it goes on in a new file. */
  #renameAt: number;
  #hasComplained = false;
  readonly #complain: (line: string) => void;

  /** @param complain called once, when it cannot be bounded any more */
  constructor(path: string, maxBytes = MAX_BYTES, complain: (line: string) => void = console.error) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#renameAt = maxBytes;
    this.#complain = complain;
  }

  /** @throws where nothing can be written to it */
  open(): void {
    this.#file ??= this.#open();
  }

  /** @param line without a line end */
  write(line: string): void {
    try {
      this.#write(new TextEncoder().encode(`${line}\n`));
    } catch {
      // The next line has it opened anew.
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

  /** Returns whether nothing has its name any more. */
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
