import type { Answer } from "./answer.ts";

/** Bytes of a status line and its headers. Servers allow less. */
const MAX_HEAD_BYTES = 64 * 1024;

const CR = 0x0d;
const LF = 0x0a;

/** What can't be read as an answer of HTTP/1.1. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** An answer that is there as a whole. */
export interface ParsedAnswer {
  readonly answer: Answer;
  /** Whether the server takes another request on the same connection. */
  readonly keepsOpen: boolean;
}

/** Where the body ends: after so many bytes, after its last chunk, or with the connection. */
type Framing = { readonly kind: "length"; readonly bytes: number } | { readonly kind: "chunked" | "untilEnd" };

/** Where it starts (inclusive) and ends (exclusive). */
type Range = readonly [number, number];

interface Body {
  readonly ranges: readonly Range[];
  readonly endsAt: number;
}

interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: Framing;
  readonly keepsOpen: boolean;
  /** Where the body begins. */
  readonly bodyAt: number;
}

/** Room for one answer of an API server, as a rule. */
const ROOM_BYTES = 8 * 1024;
/** Room above this is freed after the answer. */
const KEPT_BYTES = 64 * 1024;

/**
 * Reads answers of HTTP/1.1 (RFC 9112), one after the other, to any request but HEAD. The bytes of an answer are kept
 * until its last one is there: answers to writes are short.
 */
export class AnswerParser {
  #buffer = new Uint8Array(ROOM_BYTES);
  /** How much of the buffer is filled. */
  #length = 0;
  #head: Head | undefined;
  /** Where the next chunk of the body begins; and where those before it are. */
  #chunkAt = 0;
  #chunks: Range[] = [];

  /** Where the next bytes are to be written. */
  room(): Uint8Array<ArrayBuffer> {
    if (this.#length === this.#buffer.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    return this.#buffer.subarray(this.#length);
  }

  /**
   * So many bytes were written into the room. Returns the answer once it is there, and begins with the next one.
   *
   * @throws {ProtocolError}
   */
  received(count: number): ParsedAnswer | undefined {
    this.#length += count;
    return this.#parse(false);
  }

  /**
   * The connection has ended. Returns the answer if that is its end.
   *
   * @throws {ProtocolError}
   */
  ended(): ParsedAnswer | undefined {
    return this.#parse(true);
  }

  #parse(hasEnded: boolean): ParsedAnswer | undefined {
    const bytes = this.#buffer.subarray(0, this.#length);
    const head = this.#head ??= this.#finalHead(bytes);
    const body = head && this.#body(head, bytes, hasEnded);
    if (!body) return undefined;
    const { ranges, endsAt } = body;
    const answer = answerOf(head, textOf(bytes, ranges));
    // Unsolicited bytes belong to no request: the connection is of no more use.
    const keepsOpen = head.keepsOpen && endsAt === bytes.length;
    this.#forget();
    return { answer, keepsOpen };
  }

  /** Passes over those that say that more is to come. */
  #finalHead(bytes: Uint8Array): Head | undefined {
    for (let at = 0;;) {
      const head = headOf(bytes, at);
      if (!head) return undefined;
      at = this.#chunkAt = head.bodyAt;
      if (head.status >= 200 || head.status === 101) return head;
    }
  }

  #body({ framing, bodyAt }: Head, bytes: Uint8Array, hasEnded: boolean): Body | undefined {
    switch (framing.kind) {
      case "length": {
        const endsAt = bodyAt + framing.bytes;
        return bytes.length < endsAt ? undefined : { ranges: [[bodyAt, endsAt]], endsAt };
      }
      case "chunked":
        return this.#chunked(bytes);
      case "untilEnd":
        return hasEnded ? { ranges: [[bodyAt, bytes.length]], endsAt: bytes.length } : undefined;
      default:
        return framing satisfies never;
    }
  }

  #chunked(bytes: Uint8Array): Body | undefined {
    for (;;) {
      const line = lineAt(bytes, this.#chunkAt);
      if (!line) return undefined;
      const size = chunkSize(line.text);
      if (size === 0) {
        const endsAt = afterTrailers(bytes, line.endsAt);
        return endsAt === undefined ? undefined : { ranges: this.#chunks, endsAt };
      }
      const chunkEnd = line.endsAt + size;
      if (bytes.length < chunkEnd + 2) return undefined;
      if (bytes[chunkEnd] !== CR || bytes[chunkEnd + 1] !== LF) {
        throw new ProtocolError("a chunk of the server's answer is longer than it says");
      }
      this.#chunks.push([line.endsAt, chunkEnd]);
      this.#chunkAt = chunkEnd + 2;
    }
  }

  #forget(): void {
    this.#head = undefined;
    this.#chunks = [];
    this.#length = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(ROOM_BYTES);
  }
}

const decoder = new TextDecoder();

function answerOf({ status, statusText, headers }: Head, text: string): Answer {
  return {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => headers.get(name.toLowerCase()) ?? null,
      has: (name) => headers.has(name.toLowerCase()),
    },
    text: () => Promise.resolve(text),
  };
}

function textOf(bytes: Uint8Array, ranges: readonly Range[]): string {
  const [range, ...others] = ranges;
  if (range && others.length === 0) return decoder.decode(bytes.subarray(...range));
  // A character may begin in one chunk and end in the next.
  const streaming = new TextDecoder();
  const texts = ranges.map((range) => streaming.decode(bytes.subarray(...range), { stream: true }));
  return texts.join("") + streaming.decode();
}

/** Returns undefined while it is not there as a whole. */
function headOf(bytes: Uint8Array, at: number): Head | undefined {
  const bodyAt = endOfHead(bytes, at);
  if (bodyAt === undefined) {
    if (bytes.length - at > MAX_HEAD_BYTES) throw new ProtocolError("the server's answer has no end of its headers");
    return undefined;
  }
  const [statusLine = "", ...lines] = decoder.decode(bytes.subarray(at, bodyAt - 4)).split("\r\n");
  const [, version, code, statusText = ""] = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
  if (code === undefined) throw new ProtocolError("the server's answer is not HTTP/1.1");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new ProtocolError("a header of the server's answer has no name");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
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
    bodyAt,
  };
}

function framingOf(status: number, headers: ReadonlyMap<string, string>): Framing {
  if (status === 204 || status === 304 || status === 101) return { kind: "length", bytes: 0 };
  const coding = headers.get("transfer-encoding");
  if (coding !== undefined) {
    if (coding.toLowerCase() !== "chunked") {
      throw new ProtocolError(`the server's answer comes as ${coding}, which was not asked for`);
    }
    return { kind: "chunked" };
  }
  const length = headers.get("content-length");
  if (length === undefined) return { kind: "untilEnd" };
  if (!/^\d{1,15}$/.test(length)) throw new ProtocolError("the length of the server's answer is not a number");
  return { kind: "length", bytes: Number(length) };
}

/** Returns where the body begins. */
function endOfHead(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(CR, from); at >= 0 && at + 3 < bytes.length; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at + 4;
  }
  return undefined;
}

function lineAt(bytes: Uint8Array, at: number): { readonly text: string; readonly endsAt: number } | undefined {
  const end = bytes.indexOf(LF, at);
  if (end < 0) {
    if (bytes.length - at > MAX_HEAD_BYTES) throw new ProtocolError("a line of the server's answer does not end");
    return undefined;
  }
  return { text: decoder.decode(bytes.subarray(at, end)).trimEnd(), endsAt: end + 1 };
}

function chunkSize(line: string): number {
  const [, digits] = /^([0-9a-f]{1,12})(?:;.*)?$/i.exec(line) ?? [];
  if (digits === undefined) throw new ProtocolError("the length of a chunk of the server's answer is not a number");
  return parseInt(digits, 16);
}

/** Returns where the answer ends: after an empty line. */
function afterTrailers(bytes: Uint8Array, at: number): number | undefined {
  for (let line = lineAt(bytes, at); line; line = lineAt(bytes, line.endsAt)) {
    if (line.text === "") return line.endsAt;
  }
  return undefined;
}
