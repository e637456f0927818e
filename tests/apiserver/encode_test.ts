import { assertEquals } from "@std/assert";
import { encode } from "../../src/apiserver/http/encode.ts";
import { test } from "../support/test.ts";

test("YAML has its keys in order, and quotes where text could be taken for something else, and only there", () => {
  const answer = {
    spec: { schedule: "*/5 * * * *", list: [{ b: "1", a: "x" }], empty: {}, none: "" },
    metadata: {
      creationTimestamp: "2026-01-02T03:04:05Z",
      on: "yes",
      why: "a: b",
      text: "a\nb\n",
      long: "word ".repeat(20),
    },
  };
  const { body } = encode(JSON.stringify(answer), { view: { encoding: "yaml" } });
  assertEquals(
    body,
    `metadata:
  creationTimestamp: '2026-01-02T03:04:05Z'
  long: '${"word ".repeat(20)}'
  'on': 'yes'
  text: |
    a
    b
  why: 'a: b'
spec:
  empty: {}
  list:
  - a: x
    b: '1'
  none: ''
  schedule: '*/5 * * * *'
`,
  );
});
