import { assertEquals, assertThrows } from "@std/assert";
import { parseLabelSelector } from "../../../src/apiserver/reading/label_selector.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import { test } from "../../support/test.ts";

test("a label selector picks what has the labels, and nothing that every JavaScript object has", () => {
  const cases: [selector: string, labels: Record<string, string> | undefined, matches: boolean][] = [
    ["", undefined, true],
    ["app", { app: "" }, true],
    ["!app", { app: "" }, false],
    ["app=a,tier!=b", { app: "a" }, true],
    ["app in (a,b)", { app: "b" }, true],
    ["app notin (a,b)", undefined, true],
    ["n>5", { n: "10" }, true],
    ["n<5", { n: "10" }, false],
    ["constructor", {}, false],
    ["!toString", {}, true],
    ["constructor", { constructor: "x" }, true],
  ];
  for (const [selector, labels, matches] of cases) {
    assertEquals([selector, parseLabelSelector(selector).matches(labels)], [selector, matches]);
  }
});

test("a label selector with keys or values that no label can have is refused", () => {
  for (const selector of [`${"a".repeat(64)}=b`, "a/b/c", "-a", `a=${"b".repeat(64)}`, "a in (b,-)", "a!=b*"]) {
    assertThrows(() => parseLabelSelector(selector), Refusal, "unable to parse requirement: ");
  }
});
