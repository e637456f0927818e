import { concat } from "./byte_source.ts";
import { ChunkReader, type ChunkReaderOptions } from "./chunk_reader.ts";

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into its non-empty lines, as many at a time as ended in one chunk: a burst of lines costs no more
 * turns than its chunks. A last line without its newline is dropped: it was cut off.
 */
export async function* lineBatches(
  body: ReadableStream<Uint8Array>,
  options: ChunkReaderOptions = {},
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  const reader = new ChunkReader(body, options);
  /** Chunks of a line whose end has not come yet: kept apart, so that a long line is not copied once a chunk. */
  let begun: Uint8Array[] = [];
  try {
    for (;;) {
      const chunks = await reader.next();
      if (!chunks) return;
      for (const chunk of chunks) {
        const end = chunk.lastIndexOf(NEWLINE);
        if (end < 0) {
          begun.push(chunk);
          continue;
        }
        begun.push(chunk.subarray(0, end));
        const text = decoder.decode(begun.length === 1 ? begun[0] : concat(begun));
        begun = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
        const batch = text.split("\n").filter((line) => line !== "");
        if (batch.length > 0) yield batch;
      }
    }
  } finally {
    reader.cancel();
  }
}
