/** An answer that can't be read as HTTP/1.1. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** Where the body ends: after so many bytes, after its last chunk, or with the connection. */
export type Framing = { readonly kind: "length"; readonly bytes: number } | { readonly kind: "chunked" | "untilEnd" };

export interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: Framing;
  readonly keepsOpen: boolean;
}

/**
 * Reads a status line and its headers, without the empty line that ends them.
 *
 * @throws {ProtocolError}
 */
export function headOf(text: string): Head {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const [, version, code, statusText = ""] = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
  if (code === undefined) throw new ProtocolError("the server's answer is not HTTP/1.1");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name, value] = fieldOf(line);
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const status = Number(code);
  const framing = framingOf(status, headers);
  const connection = headers.get("connection")?.toLowerCase() ?? "";
  return {
    status,
    statusText,
    headers,
    framing,
    keepsOpen: version === "1" && !connection.includes("close") && status !== 101 && framing.kind !== "untilEnd",
  };
}

/**
 * Reads a header or a trailer. Where another reader could see another header than this one, such as a name before a blank,
 * a folded line or a line break within a value, the two could take the body for something else.
 */
export function fieldOf(line: string): readonly [name: string, value: string] {
  const [, name, value] = FIELD.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw new ProtocolError("a header of the server's answer is not a name, a colon and a value");
  }
  return [name.toLowerCase(), value.trim()];
}

/** A token, and a value without control characters but tabs. */
// deno-lint-ignore no-control-regex
const FIELD = /^([!#$%&'*+\-.^_`|~0-9a-z]+):([^\u0000-\u0008\u000a-\u001f\u007f]*)$/i;

function framingOf(status: number, headers: ReadonlyMap<string, string>): Framing {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined && length !== undefined) throw new ProtocolError("the server's answer has two lengths");
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    throw new ProtocolError(`the server's answer comes as ${coding}, which was not asked for`);
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new ProtocolError("the length of the server's answer is not a number");
  }
  if (status < 200 || status === 204 || status === 304) return { kind: "length", bytes: 0 };
  if (coding !== undefined) return { kind: "chunked" };
  return length === undefined ? { kind: "untilEnd" } : { kind: "length", bytes: Number(length) };
}
