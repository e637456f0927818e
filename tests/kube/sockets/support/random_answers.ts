import { concat } from "../../../../src/kube/byte_source.ts";
import type { Random } from "../../../chaos/suite/random.ts";

const encoder = new TextEncoder();
const CODES = [200, 200, 201, 201, 204, 304, 400, 404, 409, 410, 422, 429, 500, 503];
const BODIES = ["", "x", '{"kind":"Job"}', "é€😀", "a\r\n\r\nb", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"];
const HEADERS = [
  "Date: now",
  "content-type: application/json",
  "X-Empty:",
  'Warning: 299 - "é"',
  "A:\t b \t",
  "Audit-Id: 1",
];
/** What no server should write: obsolete, wrong, or read in two ways. */
const ODD_HEADERS = [
  ...["Transfer-Encoding : chunked", "Content-Length : 1", " folded: yes", "X: a\r\n folded", "no colon", ": no name"],
  ...["X: a\nTransfer-Encoding: chunked", "X: a\rContent-Length: 1", "X: \0", "X\0: a", "Transfer-Encoding: chunked"],
  ...["Transfer-Encoding: gzip", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: xchunked"],
  ...["Content-Length: 1", "Content-Length: 1, 1", "Content-Length: +1", "Content-Length: 0x1", "Content-Length: -1"],
  ...["Connection: close", "Connection: keep-alive", "Connection: upgrade", "Content-Length:", "é: a", "(x): a"],
];

/** Returns the bytes of an answer; of four, one is odd somewhere. */
export function randomAnswer(random: Random): Uint8Array {
  const isOdd = random.chance(0.25);
  const body = encoder.encode(Array.from({ length: random.whole(0, 3) }, () => random.of(BODIES)).join(""));
  const [framing, framed] = random.of([sized, chunked, chunked, untilEnd])(body, { random, isOdd });
  const headers = Array.from({ length: random.whole(0, 3) }, () => random.of(HEADERS));
  if (isOdd && random.chance(0.7)) headers.push(random.of(ODD_HEADERS));
  if (framing !== undefined) headers.splice(random.whole(0, headers.length), 0, framing);
  const statusLine = `HTTP/1.${random.chance(0.9) ? 1 : 0} ${random.of(CODES)} ${random.of(["OK", "", "Not so é"])}`;
  const head = `${informational(random)}${[statusLine, ...headers].join("\r\n")}\r\n\r\n`;
  const bytes = concat([encoder.encode(head), framed]);
  return isOdd && random.chance(0.4) ? mutated(bytes, random) : bytes;
}

interface Choice {
  readonly random: Random;
  readonly isOdd: boolean;
}

type Framed = readonly [header: string | undefined, body: Uint8Array];

function sized(body: Uint8Array, { random, isOdd }: Choice): Framed {
  const length = body.length + (isOdd ? random.of([0, 0, 1, -1]) : 0);
  return [`${random.of(["Content-Length", "content-length"])}: ${length}`, body];
}

function untilEnd(body: Uint8Array): Framed {
  return [undefined, body];
}

function chunked(body: Uint8Array, { random, isOdd }: Choice): Framed {
  const odd = (usual: string, ...others: string[]) => isOdd ? random.of([usual, usual, usual, ...others]) : usual;
  const parts: Uint8Array[] = [];
  const add = (text: string) => parts.push(encoder.encode(text));
  for (let from = 0; from < body.length;) {
    const part = body.subarray(from, from + random.whole(1, 12));
    const size = part.length.toString(16);
    add(
      `${random.of(["", "0", "00"])}${random.chance(0.5) ? size.toUpperCase() : size}${
        random.of(["", "", ";a=b", ';a="b;c"'])
      }`,
    );
    add(odd("\r\n", "\n", " \r\n", "\r\r\n", ""));
    parts.push(part);
    add(odd("\r\n", "\n", "", "x\r\n"));
    from += part.length;
  }
  add(`0${odd("\r\n", "\n", "x\r\n")}`);
  for (let trailers = random.whole(0, 2); trailers > 0; trailers--) add(`Later: ${trailers}${odd("\r\n", "\n")}`);
  add(odd("\r\n", "\n", "\r\nsurplus"));
  return [
    `${random.of(["Transfer-Encoding", "transfer-encoding"])}: ${random.of(["chunked", "Chunked"])}`,
    concat(parts),
  ];
}

function informational(random: Random): string {
  const count = random.chance(0.2) ? random.whole(1, 3) : 0;
  return Array.from(
    { length: count },
    () => `HTTP/1.1 ${random.of([100, 102, 103])} Wait\r\n${random.of(["", "Link: <x>\r\n"])}\r\n`,
  )
    .join("");
}

/** With a byte more, one less, or another one. */
function mutated(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.whole(0, bytes.length - 1);
  const byte = Uint8Array.of(random.of([0, 9, 10, 13, 32, 48, 49, 58, 59, 127, 200]));
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random.of(["more", "less", "another", "cut"] as const)) {
    case "more":
      return concat([before, byte, after]);
    case "less":
      return concat([before, after.subarray(1)]);
    case "another":
      return concat([before, byte, after.subarray(1)]);
    case "cut":
      return before;
  }
}
