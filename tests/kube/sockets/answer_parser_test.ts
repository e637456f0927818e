import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { ProtocolError } from "../../../src/kube/sockets/answer_head.ts";
import { AnswerParser, type ParsedAnswer } from "../../../src/kube/sockets/answer_parser.ts";
import { atLeast, must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

const encoder = new TextEncoder();

/** What came of bytes that arrive in pieces of these lengths, again and again. */
function read(text: string, cuts: readonly number[] = [Infinity], parser = new AnswerParser()) {
  const bytes = encoder.encode(text);
  const found: ParsedAnswer[] = [];
  for (let at = 0, turn = 0; at < bytes.length;) {
    const room = parser.room();
    const piece = bytes.subarray(at, at + Math.min(room.length, must(cuts[turn++ % cuts.length])));
    room.set(piece);
    at += piece.length;
    const parsed = parser.received(piece.length);
    if (parsed) found.push(parsed);
  }
  const last = parser.ended();
  return last ? [...found, last] : found;
}

async function shown({ answer, keepsOpen }: ParsedAnswer) {
  return [answer.status, answer.ok, await answer.text(), keepsOpen];
}

function chunked(parts: readonly string[], trailer = ""): string {
  const chunks = parts.filter((part) => part !== "").map((part) =>
    `${encoder.encode(part).length.toString(16)};x=y\r\n${part}\r\n`
  );
  return `HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n${trailer}\r\n`;
}

function sized(body: string): string {
  return `HTTP/1.1 201 Created\r\nContent-Length: ${encoder.encode(body).length}\r\n\r\n${body}`;
}

test("AnswerParser reads the same answer however its bytes are cut", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      async (parts, cuts, early) => {
        const before = early ? "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" : "";
        for (const answer of [chunked(parts, "Later: yes\r\n"), sized(parts.join(""))]) {
          const [parsed, ...more] = atLeast(1, read(before + answer, cuts));
          assertEquals([more.length, ...await shown(parsed)], [0, 201, true, parts.join(""), true]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("AnswerParser keeps a character that two chunks share", async () => {
  const [first, second] = [encoder.encode("é").subarray(0, 1), encoder.encode("é").subarray(1)];
  const bytes = [...encoder.encode("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"), ...first];
  bytes.push(...encoder.encode("\r\n1\r\n"), ...second, ...encoder.encode("\r\n0\r\n\r\n"));
  const parser = new AnswerParser();
  parser.room().set(bytes);
  assertEquals(await parser.received(bytes.length)!.answer.text(), "é");
});

test("AnswerParser reads one answer after the other, of any length", async () => {
  const parser = new AnswerParser();
  for (const length of [10, 200_000, 0, 9_000]) {
    const body = "x".repeat(length);
    for (const answer of [sized(body), chunked([body])]) {
      assertEquals(await Promise.all(read(answer, [7_000], parser).map(shown)), [[201, true, body, true]]);
    }
  }
});

test("AnswerParser knows where an answer ends, and whether another request may follow", async () => {
  const rows: [answer: string, shown: unknown[]][] = [
    ["HTTP/1.1 204 No Content\r\n\r\n", [204, true, "", true]],
    ["HTTP/1.1 200 OK\r\n\r\nuntil the end", [200, true, "until the end", false]],
    ["HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab", [200, true, "ab", false]],
    ["HTTP/1.1 409 Conflict\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nab", [409, false, "ab", false]],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab and more", [200, true, "ab", false]],
    ["HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", [200, true, "", true]],
  ];
  for (const [answer, expected] of rows) {
    const [parsed] = atLeast(1, read(answer));
    assertEquals(await shown(parsed), expected, answer);
  }
});

test("AnswerParser gives headers by any spelling of their names, repeated ones joined", () => {
  const [{ answer }] = atLeast(
    1,
    read('HTTP/1.1 200 OK\r\nWarning: 299 - "a"\r\nwarning:299 - "b"\r\nContent-Length:0\r\n\r\n'),
  );
  assertEquals(answer.headers.get("WARNING"), '299 - "a", 299 - "b"');
  assertEquals(answer.headers.get("retry-after"), null);
});

test("AnswerParser has no answer where it was cut off", () => {
  for (const whole of [sized("body"), chunked(["body"], "Later: yes\r\n")]) {
    for (let length = 0; length < whole.length; length++) assertEquals(read(whole.slice(0, length)), [], `${length}`);
  }
});

test("AnswerParser refuses what is no answer of HTTP/1.1", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  const rows: [bytes: string, complaint: string][] = [
    ["garbage\r\n\r\n", "not HTTP/1.1"],
    ["HTTP/2 200\r\n\r\n", "not HTTP/1.1"],
    [`${head}no colon\r\n\r\n`, "not a name, a colon and a value"],
    [`${head}Content-Length: -1\r\n\r\n`, "not a number"],
    [`${head}Content-Length: 2, 2\r\n\r\n`, "not a number"],
    [`${head}Transfer-Encoding: gzip, chunked\r\n\r\n`, "gzip, chunked"],
    [`${head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, "not a number"],
    [`${head}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`, "longer than it says"],
    [`${head}X: ${"x".repeat(70_000)}`, "longer than 64 KiB"],
    [`${head}Transfer-Encoding: chunked\r\n\r\n${"0".repeat(70_000)}`, "does not end"],
  ];
  for (const [bytes, complaint] of rows) assertThrows(() => read(bytes), ProtocolError, complaint);
});
