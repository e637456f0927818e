import { lineBatches } from "../../src/kube/json_lines.ts";

/** Splits a byte stream into its non-empty lines, without a last one that was cut off. */
export async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const batch of lineBatches(body)) yield* batch;
}
