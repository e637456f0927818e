import { Refusal } from "../refusals.ts";

/** Larger bodies are refused, as kube-apiserver does. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Returns the refusal of a body that is larger than `MAX_BODY_BYTES`. */
export function tooLarge(): Refusal {
  return new Refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`);
}

/** Returns one array of `size` bytes with those of all chunks. */
export function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}
