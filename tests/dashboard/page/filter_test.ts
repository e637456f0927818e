import { assertEquals } from "@std/assert";
import { filterOf, matcherOf, textOf } from "../../../src/dashboard/page/model/filter.ts";
import type { Row } from "../../../src/dashboard/wire.ts";
import { row } from "../browser/support/sample_fleet.ts";
import { test } from "../../support/test.ts";

const FLEET: readonly Row[] = [
  row({
    namespace: "team-a",
    name: "report",
    labels: { team: "payments", "app.kubernetes.io/name": "report" },
    state: "Failing",
    cause: { reason: "Error", message: "Connection refused" },
  }),
  row({ namespace: "team-a", name: "ship", state: "Waiting" }),
  row({ namespace: "team-b", name: "report", state: "Paused" }),
];

const CASES: readonly (readonly [text: string, found: readonly string[]])[] = [
  ["", ["team-a/report", "team-a/ship", "team-b/report"]],
  ["  REPORT ", ["team-a/report", "team-b/report"]],
  ["team-b/rep", ["team-b/report"]],
  ["refused", ["team-a/report"]],
  ["report refused", ["team-a/report"]],
  ["state:failing", ["team-a/report"]],
  ["state:Failing,paused", ["team-a/report", "team-b/report"]],
  ["ns:team-a", ["team-a/report", "team-a/ship"]],
  ["ns:team-a state:waiting sh", ["team-a/ship"]],
  ["ns:team", []],
  ["label:team", ["team-a/report"]],
  ["label:team=payments", ["team-a/report"]],
  ["label:team=shop", []],
  ["label:team,app.kubernetes.io/name=report REPORT", ["team-a/report"]],
  // As far as a name is typed.
  ["state:fail", ["team-a/report"]],
  // No state is called so.
  ["state:faling", []],
  ["state:faling,failing", []],
  // A filter that is still being typed hides nothing.
  ["state:", ["team-a/report", "team-a/ship", "team-b/report"]],
];

for (const [text, found] of CASES) {
  test(`looking for "${text}" finds ${found.length}`, () => {
    assertEquals(FLEET.filter(matcherOf(filterOf(text))).map(({ id }) => id), found);
  });
}

test("names that no state has are known", () => {
  assertEquals(filterOf("state:faling,failing,x").unknown, ["faling", "x"]);
});

test("a filter is written as it is read", () => {
  for (const [text] of CASES) assertEquals(filterOf(textOf(filterOf(text))), filterOf(text));
});
