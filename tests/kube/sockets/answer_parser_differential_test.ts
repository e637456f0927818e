import { assertEquals } from "@std/assert";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { compareAnswers, readByNode, type Reading, readInPieces } from "./support/compare_answers.ts";

test("AnswerParser reads random answers as node does, however their bytes are cut", async () => {
  await compareAnswers(1, { count: 1_500, splits: 4 });
});

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
const SIZED = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";

/** What two readers could take for two different answers, and who refuses it. */
const AMBIGUOUS: Readonly<Record<string, [bytes: string, refusedBy: "both" | "us"]>> = {
  "a blank before the colon": ["HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "both"],
  "a length beside a coding": [`${CHUNKED}Content-Length: 2\r\n\r\n2\r\nab\r\n0\r\n\r\n`, "both"],
  "two lengths": [`${SIZED}Content-Length: 3\r\n\r\nabc`, "both"],
  "a line feed alone after a header": [`${SIZED}X: a\nTransfer-Encoding: chunked\r\n\r\nab`, "both"],
  "a carriage return in a header": [`${SIZED}X: a\rContent-Length: 3\r\n\r\nab`, "both"],
  "a line feed alone after the length of a chunk": [`${CHUNKED}\r\n2\nab\r\n0\r\n\r\n`, "both"],
  "a line feed alone after a chunk": [`${CHUNKED}\r\n2\r\nab\n0\r\n\r\n`, "both"],
  "a line feed alone after the last chunk": [`${CHUNKED}\r\n2\r\nab\r\n0\n\r\n`, "both"],
  "a line feed alone after a trailer": [`${CHUNKED}\r\n2\r\nab\r\n0\r\nX: y\n\r\n`, "both"],
  "a blank after the length of a chunk": [`${CHUNKED}\r\n2 \r\nab\r\n0\r\n\r\n`, "both"],
  "a zero byte in a header": [`${SIZED}X: \0\r\n\r\nab`, "both"],
  "a sign before the length": ["HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab", "both"],
  "a folded header": [`${SIZED}X: a\r\n Content-Length: 3\r\n\r\nab`, "both"],
  "a coding twice": [`${CHUNKED}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`, "us"],
  "a coding that was not asked for": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nab", "us"],
};

test("AnswerParser refuses what two readers could read in two ways, as node does or though node does not", async () => {
  const all = Object.values(AMBIGUOUS).map(([text]) => new TextEncoder().encode(text));
  const [ours, nodes] = [await Promise.all(all.map((bytes) => readInPieces(bytes, [Infinity]))), await readByNode(all)];
  const isRefused = (reading: Reading) => "refused" in reading;
  const found = Object.keys(AMBIGUOUS).map((what, at) => [what, isRefused(must(ours[at])), isRefused(must(nodes[at]))]);
  assertEquals(found, Object.entries(AMBIGUOUS).map(([what, [, refusedBy]]) => [what, true, refusedBy === "both"]));
});
