import { assertEquals } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { CountedFailures } from "../../src/runtime/counted_failures.ts";
import { test } from "../support/test.ts";

const garbage = (name: string) =>
  new UnreachableError(`Cannot create jobs a/${name}: the server's answer is of something else`);

test("CountedFailures has thousands of failures of one cause be a line at once and a line a minute", () => {
  const failures = new CountedFailures();
  let lines = 0;
  for (let second = 0; second < 720; second++) {
    for (let index = 0; index < 19; index++) {
      if (failures.note(`a/${index}`, garbage(`${index}`), second * 1_000)) lines++;
    }
    lines += failures.due(second * 1_000).length;
  }
  assertEquals(lines, 1 + 11);
});

test("CountedFailures says how many failed since the last line, and which were the last of them", () => {
  const failures = new CountedFailures();
  assertEquals(failures.note("a/first", garbage("first"), 0), true);
  for (let index = 0; index < 30; index++) {
    assertEquals(failures.note(`a/${index % 15}`, garbage(`${index}`), 1_000 + index), false);
  }
  assertEquals(failures.due(59_999), []);
  const keys = Array.from({ length: 10 }, (_, index) => `a/${index + 5}`);
  const error = garbage("29");
  assertEquals(failures.due(60_000), [{ count: 30, keys, sinceMs: 60_000, error }]);
});

test("CountedFailures keeps causes apart, and a cause that came no more is a first one again", () => {
  const failures = new CountedFailures();
  const forbidden = new ApiError("no", { code: 403, reason: "Forbidden" });
  const errors = [garbage("x"), forbidden, new ApiError("no", { code: 500 }), new TypeError("x is undefined")];
  for (const error of errors) assertEquals(failures.note("a/x", error, 0), true);
  assertEquals(failures.note("a/y", forbidden, 1), false);
  assertEquals(failures.due(60_000).map(({ count }) => count), [1]);
  assertEquals(failures.note("a/x", new TypeError("x is undefined"), 60_001), true);
  assertEquals(failures.note("a/x", forbidden, 60_002), false);
});

test("CountedFailures distinguishes a hundred causes, and counts all others as one", () => {
  const failures = new CountedFailures();
  const lines = Array.from({ length: 1_000 }, (_, index) => failures.note("a/x", new Error(`of ${index}`), 0));
  assertEquals(lines.filter(Boolean).length, 101);
  assertEquals(failures.due(60_000).map(({ count }) => count), [899]);
});

test("CountedFailures sums up at the end what was counted by then", () => {
  const failures = new CountedFailures();
  failures.note("a/x", garbage("x"), 0);
  failures.note("a/y", garbage("y"), 1_000);
  assertEquals(failures.due(2_000, { isEnd: true }).map(({ count, keys }) => [count, keys]), [[1, ["a/y"]]]);
});
