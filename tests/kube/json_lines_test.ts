import { assertEquals, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import { lineBatches } from "../../src/kube/json_lines.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { lines } from "../support/lines.ts";

test("lines() gives the same lines however the bytes are cut into chunks", async () => {
  const line = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replaceAll("\n", "·"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      async (texts, cuts) => {
        const bytes = new TextEncoder().encode(texts.map((text) => `${text}\n`).join(""));
        assertEquals(await collect(chunked(bytes, cuts)), texts);
      },
    ),
  );
});

test("lines() drops a last line that was cut off, and leaves out empty ones", async () => {
  assertEquals(await collect(chunked(new TextEncoder().encode("one\n\ntwo\nthr"), [4])), ["one", "two"]);
});

test("lines() cancels the stream when its caller leaves", async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("line\n")),
    cancel: () => void (cancelled = true),
  });
  for await (const line of lines(endless)) {
    assertEquals(line, "line");
    break;
  }
  assertEquals(cancelled, true);
});

test("lineBatches() ends when its signal is aborted, though the stream neither ends nor can be cancelled", async () => {
  const never = new Promise<void>(() => {});
  const silent = new ReadableStream<Uint8Array>({ pull: () => never, cancel: () => never });
  const stop = new AbortController();
  const reading = assertRejects(() => lineBatches(silent, { signal: stop.signal }).next(), Error, "enough");
  stop.abort(new Error("enough"));
  await reading;
});

async function collect(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines(body)) found.push(line);
  return found;
}

function chunked(bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> {
  let offset = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      const size = must(sizes[turn++ % sizes.length]);
      controller.enqueue(bytes.slice(offset, offset + size));
      offset += size;
    },
  });
}
