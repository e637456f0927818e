import { assertEquals } from "@std/assert";
import { linesOf } from "../../src/kube/lines_of.ts";
import { test } from "../support/test.ts";

function answerOf(chunks: Iterable<string>): Response {
  return new Response(ReadableStream.from(chunks).pipeThrough(new TextEncoderStream()));
}

test("lines are those of the answer, wherever its chunks end", async () => {
  for (const chunks of [["a\nbc\n\nd"], ["a", "\nb", "c", "\n", "\nd"], ["a\n", "bc\n\n", "d\n"]]) {
    assertEquals(await Array.fromAsync(linesOf(answerOf(chunks))), ["a", "bc", "", "d"]);
  }
});

test("of a line that never ends no more is kept than asked for", async () => {
  const answer = answerOf([...Array<string>(100).fill("x".repeat(10_000)), "\nab", "cdefg\nabcdefg\nh"]);
  const lines = await Array.fromAsync(linesOf(answer, { maxCharacters: 5 }));
  assertEquals(lines, ["xxxxx", "abcde", "abcde", "h"]);
});
