import type { Answer } from "./answer.ts";
import { fieldOf, type Framing, type Head, headOf, ProtocolError } from "./answer_head.ts";

/** Bytes of all heads of an answer, informational ones and trailers included, and of each line of its chunks. Servers allow less. */
const MAX_HEAD_BYTES = 64 * 1024;

/** Bytes of a body, with what frames its chunks: five times what an API server stores of one object. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

const CR = 0x0d;
const LF = 0x0a;

/** An answer that is there as a whole. */
export interface ParsedAnswer {
  readonly answer: Answer;
  /** Whether the server takes another request on the same connection. */
  readonly keepsOpen: boolean;
}

/** Room for one answer of an API server, as a rule. */
const ROOM_BYTES = 8 * 1024;
/** Room above this is freed after the answer. */
const KEPT_BYTES = 64 * 1024;

/**
 * Reads answers of HTTP/1.1 (RFC 9112), one after the other, to any request but HEAD. The bytes of an answer are kept
 * until its last one is there: answers to writes are short. No byte is read twice, however they arrive.
 */
export class AnswerParser {
  #buffer = new Uint8Array(ROOM_BYTES);
  /** How much of the buffer is filled. */
  #length = 0;
  #head: Head | undefined;
  /** Where that begins which is read next: a head, a body, the line of a chunk, a trailer. */
  #at = 0;
  /** Up to where that was searched for its end in vain. */
  #searchedTo = 0;
  #bodyAt = 0;
  /** Where the chunks end that are there. They are moved together, so that the body is one piece. */
  #bodyEnd = 0;
  /** Of the chunk whose length is known. */
  #chunkEnd: number | undefined;
  /** Bytes of trailers; undefined before the last chunk. */
  #trailerBytes: number | undefined;

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
    const head = this.#head ??= this.#finalHead();
    if (!head) return undefined;
    const endsAt = this.#endOfBody(head.framing, hasEnded);
    if (endsAt === undefined) {
      if (this.#length - this.#bodyAt > MAX_BODY_BYTES) throw tooLong("body", MAX_BODY_BYTES);
      return undefined;
    }
    const answer = answerOf(head, decoder.decode(this.#buffer.subarray(this.#bodyAt, this.#bodyEnd)));
    // Unsolicited bytes belong to no request: the connection is of no more use.
    const keepsOpen = head.keepsOpen && endsAt === this.#length;
    this.#forget();
    return { answer, keepsOpen };
  }

  /** Passes over those that say that more is to come. */
  #finalHead(): Head | undefined {
    for (;;) {
      const end = this.#endOfHead();
      if ((end ?? this.#length) > MAX_HEAD_BYTES) throw tooLong("headers", MAX_HEAD_BYTES);
      if (end === undefined) return undefined;
      const head = headOf(this.#textUntil(end - 4));
      this.#moveTo(end);
      if (head.status < 200 && head.status !== 101) continue;
      this.#bodyAt = this.#bodyEnd = end;
      return head;
    }
  }

  /** Returns where the answer ends, once that is there. */
  #endOfBody(framing: Framing, hasEnded: boolean): number | undefined {
    switch (framing.kind) {
      case "length": {
        if (framing.bytes > MAX_BODY_BYTES) throw tooLong("body", MAX_BODY_BYTES);
        const endsAt = this.#bodyAt + framing.bytes;
        if (this.#length < endsAt) return undefined;
        return this.#bodyEnd = endsAt;
      }
      case "chunked":
        return this.#endOfChunks();
      case "untilEnd":
        return hasEnded ? this.#bodyEnd = this.#length : undefined;
      default:
        return framing satisfies never;
    }
  }

  #endOfChunks(): number | undefined {
    while (this.#trailerBytes === undefined) {
      if (this.#chunkEnd === undefined) {
        const line = this.#line();
        if (line === undefined) return undefined;
        this.#chunkBegins(chunkSize(line));
      } else if (!this.#takeChunk(this.#chunkEnd)) return undefined;
    }
    return this.#endOfTrailers();
  }

  #chunkBegins(size: number): void {
    if (size === 0) this.#trailerBytes = 0;
    else if (this.#at + size - this.#bodyAt > MAX_BODY_BYTES) throw tooLong("body", MAX_BODY_BYTES);
    else this.#chunkEnd = this.#at + size;
  }

  /** Returns whether it was there. */
  #takeChunk(end: number): boolean {
    if (this.#length < end + 2) return false;
    if (this.#buffer[end] !== CR || this.#buffer[end + 1] !== LF) {
      throw new ProtocolError("a chunk of the server's answer is longer than it says");
    }
    this.#buffer.copyWithin(this.#bodyEnd, this.#at, end);
    this.#bodyEnd += end - this.#at;
    this.#chunkEnd = undefined;
    this.#moveTo(end + 2);
    return true;
  }

  #endOfTrailers(): number | undefined {
    for (;;) {
      const begins = this.#at;
      const line = this.#line();
      const bytes = (line === undefined ? this.#length : this.#at) - begins + this.#trailerBytes!;
      if (bytes > MAX_HEAD_BYTES) throw tooLong("trailers", MAX_HEAD_BYTES);
      if (line === undefined) return undefined;
      if (line === "") return this.#at;
      fieldOf(line);
      this.#trailerBytes = bytes;
    }
  }

  /** Returns where the body begins, once all of the head is there. */
  #endOfHead(): number | undefined {
    const bytes = this.#buffer.subarray(0, this.#length);
    for (
      let at = bytes.indexOf(CR, this.#searchedTo);
      at >= 0 && at + 3 < bytes.length;
      at = bytes.indexOf(CR, at + 1)
    ) {
      if (bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at + 4;
    }
    this.#searchedTo = Math.max(this.#at, bytes.length - 3);
    return undefined;
  }

  /** Returns a line of a chunked body without its end, once it is there, and passes over it. */
  #line(): string | undefined {
    const end = this.#buffer.subarray(0, this.#length).indexOf(LF, this.#searchedTo);
    if ((end < 0 ? this.#length : end) - this.#at > MAX_HEAD_BYTES) {
      throw new ProtocolError("a line of the server's answer does not end");
    }
    if (end < 0) {
      this.#searchedTo = this.#length;
      return undefined;
    }
    if (end === this.#at || this.#buffer[end - 1] !== CR) {
      throw new ProtocolError("a line of the server's answer ends without a carriage return");
    }
    const text = this.#textUntil(end - 1);
    this.#moveTo(end + 1);
    return text;
  }

  #textUntil(end: number): string {
    return decoder.decode(this.#buffer.subarray(this.#at, end));
  }

  #moveTo(at: number): void {
    this.#at = this.#searchedTo = at;
  }

  #forget(): void {
    this.#head = undefined;
    this.#length = 0;
    this.#bodyAt = this.#bodyEnd = 0;
    this.#chunkEnd = this.#trailerBytes = undefined;
    this.#moveTo(0);
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(ROOM_BYTES);
  }
}

const decoder = new TextDecoder();

/** Returns the error for a part of an answer that is longer than its bound. */
export function tooLong(part: "body" | "headers" | "trailers", bytes: number): ProtocolError {
  const verb = part === "body" ? "is" : "are";
  return new ProtocolError(`the ${part} of the server's answer ${verb} longer than ${bytes / 1024} KiB`);
}

function answerOf({ status, statusText, headers }: Head, text: string): Answer {
  return {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
    text: () => Promise.resolve(text),
  };
}

/** Returns the length that a line before a chunk states. */
function chunkSize(line: string): number {
  const [, digits] = CHUNK_LINE.exec(line) ?? [];
  if (digits === undefined) throw new ProtocolError("the length of a chunk of the server's answer is not a number");
  return parseInt(digits, 16);
}

/** A length, and extensions: `1f;name=value;name="quoted"`. */
const CHUNK_LINE = /^([0-9a-f]{1,12})(?:;[!#$%&'*+\-.^_`|~0-9a-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9a-z]+|"[^"\\]*"))?)*$/i;
