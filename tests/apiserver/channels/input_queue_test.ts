import { assert, assertEquals } from "@std/assert";
import { InputQueue } from "../../../src/apiserver/channels/input_queue.ts";
import { test } from "../../support/test.ts";

const CHUNK = 32 * 1024;

test("Input that a command does not take waits in files, and comes in order", async () => {
  using queue = new InputQueue();
  let pushed = 0;
  const push = (times: number) => {
    for (let time = 0; time < times; time++) queue.push(new Uint8Array(CHUNK).fill(pushed++ % 251));
  };
  push(600);
  let taken = 0;
  for await (const bytes of queue.take()) {
    const before = Math.floor(taken / CHUNK);
    taken += bytes.length;
    assertEquals([bytes[0], bytes.at(-1)], [before % 251, Math.floor((taken - 1) / CHUNK) % 251], `after ${taken}`);
    // While the file is read, and after it has been emptied.
    if (pushed < 1_500 && taken % (300 * CHUNK) === 0) push(300);
    if (pushed >= 1_500) queue.end();
  }
  assertEquals(taken, pushed * CHUNK);
});

test("Input that has been read takes no room on the disk, although more waits all the time", async () => {
  using queue = new InputQueue();
  using files = new OpenedFiles();
  const piece = new Uint8Array(4 * 1024 * 1024);
  const waiting = 6 * piece.length;
  let pushed = 0;
  let taken = 0;
  const push = () => {
    for (; pushed - taken < waiting; pushed += piece.length) queue.push(piece);
  };
  push();
  for await (const { length } of queue.take()) {
    taken += length;
    push();
    if (taken > 5 * waiting) break;
  }
  const onDisk = files.bytes;
  assert(onDisk > 0 && onDisk <= waiting + piece.length, `${onDisk} bytes`);
});

test("Small pieces of input go to files long before they come to a file's size, and empty ones are not kept", async () => {
  using queue = new InputQueue();
  using files = new OpenedFiles();
  for (let time = 0; time < 70_000; time++) queue.push(new Uint8Array(time % 2));
  assertEquals(files.bytes, 0);
  for (let time = 0; time < 70_000; time++) queue.push(new Uint8Array(1));
  assert(files.bytes > 60_000, `${files.bytes} bytes`);
  queue.end();
  let taken = 0;
  for await (const { length } of queue.take()) taken += length;
  assertEquals(taken, 105_000);
});

test("A queue that is disposed of ends", async () => {
  const queue = new InputQueue();
  const taken = Array.fromAsync(queue.take());
  queue[Symbol.dispose]();
  queue.push(new Uint8Array(1));
  assertEquals(await taken, []);
});

/** The files that this file's code opens from now on: other tests of this process open some too. */
class OpenedFiles implements Disposable {
  readonly #open = Deno.openSync;
  readonly #files: Deno.FsFile[] = [];

  constructor() {
    Deno.openSync = (path, options) => {
      const file = this.#open(path, options);
      this.#files.push(file);
      return file;
    };
  }

  /** In those that are still open. */
  get bytes(): number {
    return this.#files.reduce((sum, file) => sum + sizeOf(file), 0);
  }

  [Symbol.dispose](): void {
    Deno.openSync = this.#open;
  }
}

function sizeOf(file: Deno.FsFile): number {
  try {
    return file.statSync().size;
  } catch {
    return 0;
  }
}
