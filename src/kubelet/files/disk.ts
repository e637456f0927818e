import type { EpochMs } from "../../base/epoch_ms.ts";

/** Returns what `look` returns, or undefined if there is no such file. */
export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** Returns what `act` returns, or undefined where it fails, for whatever reason. */
export function ifPossible<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Returns a file's text, or undefined if there is no such file. */
export function readText(path: string): string | undefined {
  return ifThere(() => Deno.readTextFileSync(path));
}

/** Returns a file's JSON, what stands for one that holds none, or undefined if there is no such file. */
export function readJson<T>(path: string, unreadable: () => T): T | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return unreadable();
  }
}

/** Writes a file that its owner alone can read; one that is there is replaced whole, or stays as it is. */
export function replaceFile(path: string, text: string): void {
  Deno.writeTextFileSync(`${path}.new`, text, { mode: 0o600 });
  Deno.renameSync(`${path}.new`, path);
}

/** Removes a file, or a folder with all that is in it. Has no effect if there is none. */
export function removePath(path: string): void {
  ifThere(() => Deno.removeSync(path, { recursive: true }));
}

/** Returns the names of what is in a folder; none if there is no such folder. */
export function namesIn(path: string): string[] {
  return ifThere(() => Array.from(Deno.readDirSync(path), ({ name }) => name)) ?? [];
}

/** Returns undefined if there is no such file. */
export function sizeOf(path: string): number | undefined {
  return ifThere(() => Deno.statSync(path).size);
}

/** Returns what is in a file from a position on: less than asked for at its end. */
export function readAt(path: string, position: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  if (maxBytes === 0) return new Uint8Array(0);
  using file = Deno.openSync(path);
  file.seekSync(position, Deno.SeekMode.Start);
  const bytes = new Uint8Array(maxBytes);
  return bytes.subarray(0, file.readSync(bytes) ?? 0);
}

/** Returns when a file was written last, or undefined if there is no such file. */
export function modifiedAt(path: string): EpochMs | undefined {
  return ifThere(() => Deno.statSync(path).mtime?.getTime());
}
