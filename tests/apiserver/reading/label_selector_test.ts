import { assertEquals, assertThrows } from "@std/assert";
import { parseLabelSelector } from "../../../src/apiserver/reading/label_selector.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import { table } from "../../support/table.ts";
import { test } from "../../support/test.ts";

test("a label selector picks what has the labels, and nothing that every JavaScript object has", () => {
  const cases: [selector: string, labels: Record<string, string> | undefined, matches: boolean][] = [
    ["", undefined, true],
    ["app", { app: "" }, true],
    ["!app", { app: "" }, false],
    ["app=a,tier!=b", { app: "a" }, true],
    ["app in (a,b)", { app: "b" }, true],
    ["app notin (a,b)", undefined, true],
    ["app in (a,)", { app: "" }, true],
    ["app in (,a)", { app: "" }, true],
    ["app in ()", { app: "" }, true],
    ["app in (a,b)", { app: "" }, false],
    ["in in (in,notin)", { in: "notin" }, true],
    ["app=", { app: "" }, true],
    ["app=,!b", { app: "" }, true],
    ["n>5", { n: "10" }, true],
    ["n<5", { n: "10" }, false],
    ["constructor", {}, false],
    ["!toString", {}, true],
    ["!in", {}, true],
    ["!notin,a", { a: "", notin: "" }, false],
    ["n>5", { n: "9223372036854775808" }, false],
    ["n<9223372036854775807", { n: "5" }, true],
    ["constructor", { constructor: "x" }, true],
  ];
  for (const [selector, labels, matches] of cases) {
    assertEquals([selector, parseLabelSelector(selector).matches(labels)], [selector, matches]);
  }
});

const NAME = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
  "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer";

/** What is said behind "unable to parse requirement"; a whole message where it does not begin so. */
const REFUSED: readonly (readonly [selector: string, why: string, isWhole?: true])[] = [
  ["-a", `<nil>: Invalid value: "-a": ${NAME}`],
  ["app: nginx", `<nil>: Invalid value: "app:": ${NAME}`],
  ["!-a", `<nil>: Invalid value: "-a": ${NAME}`],
  ["/a", '<nil>: Invalid value: "/a": prefix part must be non-empty'],
  [`${"a".repeat(64)}=b`, `<nil>: Invalid value: "${"a".repeat(64)}": name part must be no more than 63 bytes`],
  ["a=-", `values[0][a]: Invalid value: "-": ${VALUE}`],
  ["a!=b*", `values[0][a]: Invalid value: "b*": ${VALUE}`],
  ["a in (z,b*,-)", `[values[0][a]: Invalid value: "-": ${VALUE}, values[1][a]: Invalid value: "b*": ${VALUE}]`],
  ["a>b", `values[0]: Invalid value: "b": ${INTEGER}`],
  [
    "a<-",
    `[values[0]: Invalid value: "-": ${INTEGER}, ` +
    `values[0][a]: Invalid value: "-": ${VALUE}]`,
  ],
  ["a===b", "found '=', expected: identifier"],
  ["a=)", "found ')', expected: identifier"],
  ["a>=1", "found '=', expected: identifier"],
  ["a>9223372036854775808", `values[0]: Invalid value: "9223372036854775808": ${INTEGER}`],
  ["a\u00a0=b", `<nil>: Invalid value: "a\u00a0": ${NAME}`],
  ["!", "found '', expected: identifier"],
  ["a b", "found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a in b", "found 'b' expected: '('"],
  ["a in", "found '' expected: '('"],
  ["a in (", "found '', expected: ',', ')' or identifier"],
  ["a in (=", "found '=', expected: ',', ')' or identifier"],
  ["a in (b", "found '', expected: ',' or ')'"],
  ["a in (b c)", "found 'c', expected: ',' or ')'"],
  ["a in (b,", "found '', expected: ',', or identifier"],
  ["a in (b,=", "found '=', expected: ',', or identifier"],
  ["a,", "found '', expected: identifier after ','", true],
  ["a,,b", "found ',', expected: identifier after ','", true],
  ["=a", "found '=', expected: !, identifier, or 'end of string'", true],
  ["!a b", "found 'b', expected: ',' or 'end of string'", true],
  ["a=b=c", "found '=', expected: ',' or 'end of string'", true],
  ["a in (b) c", "found 'c', expected: ',' or 'end of string'", true],
];

table(
  "a label selector is refused in the words of Kubernetes' parser",
  REFUSED.map(([selector, ...what]) => [selector, selector, ...what]),
  (selector: string, why: string, isWhole?: true) => {
    const refusal = assertThrows(() => parseLabelSelector(selector), Refusal);
    assertEquals(refusal.message, isWhole ? why : `unable to parse requirement: ${why}`);
  },
);
