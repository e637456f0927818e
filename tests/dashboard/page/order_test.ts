import { assertEquals } from "@std/assert";
import { keptInPlace, sorted, sortOf } from "../../../src/dashboard/page/model/order.ts";
import { row } from "../browser/support/sample_fleet.ts";
import { test } from "../../support/test.ts";

const a = row({
  name: "a",
  state: "Waiting",
  nextRun: { kind: "known", scheduledTime: 9, startsAt: 9, expected: "Start" },
});
const b = row({ name: "b", state: "Failing", nextRun: undefined });
const c = row({
  name: "c",
  state: "Waiting",
  nextRun: { kind: "known", scheduledTime: 5, startsAt: 5, expected: "Start" },
});
const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name).join("");

test("the worst state comes first, and what is equal goes by name", () => {
  assertEquals(names(sorted([c, a, b], "state")), "bac");
  assertEquals(names(sorted([c, a, b], "state", true)), "acb");
});

test("what has no next run stays at the end, whichever way round", () => {
  assertEquals(names(sorted([a, b, c], "next")), "cab");
  assertEquals(names(sorted([a, b, c], "next", true)), "acb");
});

test("an order that is unknown is the order by state", () => {
  assertEquals(sortOf("-next"), { by: "next", isReverse: true });
  assertEquals(sortOf("toString"), { by: "state", isReverse: false });
  assertEquals(sortOf(undefined), { by: "state", isReverse: false });
});

test("rows keep their places while a visitor works among them", () => {
  const all = new Map([a, b, c].map((row) => [row.id, row]));
  assertEquals(names(keptInPlace([c.id, a.id], [a, b], all)), "cab");
  all.delete(c.id);
  assertEquals(names(keptInPlace([c.id, a.id], [a, b], all)), "ab");
});
