import { ifThere, readText, replaceFile } from "./disk.ts";

/** The bytes that were cut out of the middle of a log: `from` up to `to`, of all that its process has written. */
export interface LogCut {
  readonly from: number;
  readonly to: number;
}

/** Undefined where nothing was cut out. */
export function readCut(path: string): LogCut | undefined {
  const [, from, to] = /^(\d+) (\d+)\n/.exec(readText(path) ?? "") ?? [];
  return to === undefined ? undefined : { from: Number(from), to: Number(to) };
}

/** Writes where the hole of a log is. A crash leaves the cut before or this one, never half of one. */
export function writeCut(path: string, { from, to }: LogCut): void {
  replaceFile(path, `${from} ${to}\n`);
}

/**
 * Returns the line that stands in the place of what was cut out.
 *
 * @param offset from where on a reader misses it
 * @param endsLine whether a line ends right before it
 */
export function cutMark({ to }: LogCut, offset: number, endsLine: boolean): Uint8Array<ArrayBuffer> {
  const text = `[${to - offset} bytes left out here: the container has written more than is kept]`;
  return new TextEncoder().encode(`${endsLine ? "" : "\n"}${text}\n`);
}

/**
 * Returns the blocks of a part of a file to the file system, without moving what stands before or behind it. A process may
 * write to the file meanwhile.
 *
 * @returns whether it did: not every file system, and not every system, has a way to
 */
export function punchHole(path: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  if (Deno.build.os !== "linux") return false;
  const args = ["--punch-hole", "--offset", String(from), "--length", String(to - from), path];
  const command = new Deno.Command("fallocate", { args, stdout: "null", stderr: "null" });
  return ifThere(() => command.outputSync().success) ?? false;
}
