const NEWLINE = 0x0a;

/**
 * Splits a byte stream into its non-empty lines. A last line without its newline is given up on: it was cut off.
 * `onBytes` is called for every chunk, before its lines are handed out.
 */
export async function* lines(body: ReadableStream<Uint8Array>, onBytes?: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  /** Chunks of a line whose end has not come yet: kept apart, so that a long line is not copied once a chunk. */
  let begun: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes?.();
      const end = value.lastIndexOf(NEWLINE);
      if (end < 0) {
        begun.push(value);
        continue;
      }
      begun.push(value.subarray(0, end));
      const text = decoder.decode(begun.length === 1 ? begun[0] : concat(begun));
      begun = end + 1 < value.length ? [value.subarray(end + 1)] : [];
      for (const line of text.split("\n")) if (line !== "") yield line;
    }
  } finally {
    await reader.cancel().catch(() => {/* it failed already: that error is on its way to the caller */});
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
