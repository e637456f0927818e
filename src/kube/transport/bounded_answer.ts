import { byteSourceOf, concat } from "../byte_source.ts";
import type { Answer } from "../sockets/answer.ts";
import { MAX_BODY_BYTES, tooLong } from "../sockets/answer_parser.ts";

/** Returns the same answer, whose body is read up to `MAX_BODY_BYTES`. */
export function bounded(response: Response): Answer {
  const { status, statusText, ok, headers } = response;
  return { status, statusText, ok, headers, text: () => boundedText(response) };
}

async function boundedText({ body }: Response): Promise<string> {
  if (!body) return "";
  const source = byteSourceOf(body);
  const chunks: Uint8Array[] = [];
  try {
    let bytes = 0;
    for (let chunk = await source.read(); chunk; chunk = await source.read()) {
      chunks.push(chunk);
      if ((bytes += chunk.length) > MAX_BODY_BYTES) throw tooLong("body", MAX_BODY_BYTES);
    }
  } finally {
    // Does not wait for an end that may never come.
    source.cancel();
  }
  return new TextDecoder().decode(concat(chunks));
}
