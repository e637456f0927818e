const CRLF = "\r\n";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * HTTP/1.1 by hand over one connection: nothing stands between a fault and the bytes. Requests come one after the other,
 * with a `Content-Length` or no body.
 */
export class HttpWire implements Disposable {
  readonly #connection: Deno.Conn;
  #unread = new Uint8Array();
  #forgotten = false;
  #closed = false;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** From now on nothing comes through in either direction, and the connection stays open. */
  forget(): void {
    this.#forgotten = true;
  }

  get isForgotten(): boolean {
    return this.#forgotten;
  }

  get isOver(): boolean {
    return this.#forgotten || this.#closed;
  }

  /** The next request; undefined when the client has gone away. */
  async request(): Promise<WireRequest | undefined> {
    let end: number;
    while ((end = endOfHead(this.#unread)) < 0) if (!await this.#read()) return undefined;
    const [first = "", ...lines] = decoder.decode(this.#unread.subarray(0, end)).split(CRLF);
    const [method = "", path = ""] = first.split(" ");
    const headers = new Headers(lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }));
    const length = Number(headers.get("content-length") ?? 0);
    const from = end + 4;
    while (this.#unread.length < from + length) if (!await this.#read()) return undefined;
    const body = length > 0 ? this.#unread.slice(from, from + length) : undefined;
    this.#unread = this.#unread.slice(from + length);
    return { method, path, headers, body };
  }

  /** Resolves when the client has gone away. Only while no request is read. */
  async gone(): Promise<void> {
    while (await this.#read());
  }

  async answer(code: number, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<void> {
    await this.#write(bytesOf(head(code, { ...headers, "content-length": String(body.length) }), body));
  }

  /** The beginning of an answer that goes on, in {@linkcode chunk}s. */
  async begin(code: number, headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#write(encoder.encode(head(code, { ...headers, "transfer-encoding": "chunked" })));
  }

  async chunk(text: string): Promise<void> {
    const bytes = encoder.encode(text);
    await this.#write(bytesOf(bytes.length.toString(16) + CRLF, bytes, CRLF));
  }

  async end(): Promise<void> {
    await this.#write(encoder.encode(`0${CRLF}${CRLF}`));
  }

  /** An answer that breaks off in the middle. */
  async tear(code: number, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<void> {
    const all = bytesOf(head(code, { ...headers, "content-length": String(body.length) }), body);
    await this.#write(all.subarray(0, Math.max(1, all.length - Math.ceil(body.length / 2))));
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  async #read(): Promise<boolean> {
    const bytes = new Uint8Array(65_536);
    const length = await this.#connection.read(bytes).catch(() => null);
    if (length === null || this.isOver) return false;
    this.#unread = bytesOf(this.#unread, bytes.subarray(0, length));
    return true;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) {
      // To the client it looks as if the answer were still under way.
      if (this.isOver) return;
      sent += await this.#connection.write(bytes.subarray(sent));
    }
  }
}

function head(code: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}${CRLF}`);
  return `HTTP/1.1 ${code} Whatever${CRLF}${lines.join("")}${CRLF}`;
}

function endOfHead(bytes: Uint8Array): number {
  for (let i = 0; i + 3 < bytes.length; i++) {
    if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) return i;
  }
  return -1;
}

function bytesOf(...parts: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  pieces.reduce((at, piece) => (all.set(piece, at), at + piece.length), 0);
  return all;
}
