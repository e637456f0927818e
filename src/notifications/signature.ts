import { createHmac } from "node:crypto";

/** The signed parts of a request: all that makes it this one. */
export interface SignedContent {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly body: string;
}

const PREFIX = "whsec_";
/** As Standard Webhooks has it. */
const LEAST_KEY_BYTES = 24;

/**
 * Reads the keys of a file, one a line: `whsec_` and base64.
 *
 * @throws {Error} saying what is wrong, without what is in the file
 */
export function readSigningKeys(text: string): readonly Uint8Array[] {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length === 0) throw new Error("it is empty");
  return lines.map((line, i) => {
    const where = lines.length === 1 ? "the key" : `key ${i + 1}`;
    if (!line.startsWith(PREFIX)) throw new Error(`${where} does not begin with ${PREFIX}`);
    const key = bytesOf(line.slice(PREFIX.length));
    if (key === undefined) throw new Error(`${where} is not base64 after ${PREFIX}`);
    if (key.length < LEAST_KEY_BYTES) throw new Error(`${where} has fewer than ${LEAST_KEY_BYTES} bytes`);
    return key;
  });
}

/** Returns the header `webhook-signature`: one signature for each key. */
export function signaturesOf({ id, timestamp, body }: SignedContent, keys: readonly Uint8Array[]): string {
  const content = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`).join(" ");
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
