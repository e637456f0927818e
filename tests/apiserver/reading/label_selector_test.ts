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

const FORMS = "must be key, !key, key=a, key!=a, key in (a,b), key notin (a,b), key>1 or key<1";

const REFUSED: readonly (readonly [selector: string, part: string, why: string | RegExp])[] = [
  ["-a", "-a", /^name part must/],
  ["app: nginx", "app: nginx", FORMS],
  ["app:", "app:", /^name part must/],
  ["!-a", "-a", /^name part must/],
  ["!a=b", "!a", "cannot have values"],
  ["/a", "/a", "prefix part must be non-empty"],
  [`${"a".repeat(64)}=b`, "a".repeat(64), "name part must be no more than 63 bytes"],
  ["a=-", "-", /^must be empty or have/],
  ["a!=b*", "b*", /^must be empty or have/],
  ["a in (z,b*,-)", "b*", /^must be empty or have/],
  ["a in (b c)", "b c", "must be one value"],
  ["a>b", "b", "must be a whole number"],
  ["a>9223372036854775808", "9223372036854775808", "must be a whole number"],
  ["a===b", "a===b", FORMS],
  ["a=)", "a=)", FORMS],
  ["a>=1", "a>=1", FORMS],
  ["!", "!", FORMS],
  ["a b", "a b", FORMS],
  ["ain (b)", "ain (b)", FORMS],
  ["a in b", "a in b", FORMS],
  ["a in (", "a in (", FORMS],
  ["a in (=)", "a in (=)", FORMS],
  ["a,", "", FORMS],
  ["a,,b", ",b", FORMS],
  ["=a", "=a", FORMS],
  ["x,!a b", "!a b", FORMS],
  ["x,a=b=c", "a=b=c", FORMS],
  ["a in (b) c", "a in (b) c", FORMS],
  // Not one of the spaces that may stand between words.
  ["\f", "\f", /^name part must/],
  ["a\f=\fb", "a\f", /^name part must/],
  ["\f".repeat(20_000) + "(", "\f".repeat(20_000) + "(", FORMS],
  ["a" + " ".repeat(50_000) + "b", "a" + " ".repeat(50_000) + "b", FORMS],
  ["a=" + " ".repeat(50_000) + ")", "a=" + " ".repeat(50_000) + ")", FORMS],
];

table(
  "a label selector that cannot be read is refused by the part that is wrong",
  REFUSED.map(([selector, ...what]) => [selector.replace(/[ \f]{9,}/, " … "), selector, ...what]),
  (selector: string, part: string, why: string | RegExp) => {
    const { code, message } = assertThrows(() => parseLabelSelector(selector), Refusal);
    const start = `cannot read the label selector: ${JSON.stringify(part)} `;
    const rest = message.startsWith(start) ? message.slice(start.length) : message;
    assertEquals([code, typeof why === "string" ? rest : why.test(rest)], [400, typeof why === "string" ? why : true]);
  },
);
