/** Bytes as they arrive. */
export interface ByteSource {
  /** The next bytes, in a buffer of their own length; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** The bytes are no longer wanted. Never rejects. */
  cancel(): Promise<void>;
}

/** As long as what Deno reads at a time. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Reads a stream into one buffer that is used again and again, where the stream allows that: an answer's body does.
 * Otherwise each read takes a fresh buffer of that length, however little arrives, and only garbage collection frees it.
 */
export function byteSourceOf(body: ReadableStream<Uint8Array>): ByteSource {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return fromChunks(body.getReader());
  }
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done || !value) return undefined;
      buffer = value.buffer as ArrayBuffer;
      return value.slice();
    },
    cancel: () => cancelled(reader),
  };
}

function fromChunks(reader: ReadableStreamDefaultReader<Uint8Array>): ByteSource {
  return {
    async read() {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    cancel: () => cancelled(reader),
  };
}

async function cancelled(reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader): Promise<void> {
  await reader.cancel().catch(() => {/* it failed already: that error is on its way to the caller */});
}

/** Returns one array with the bytes of all. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
