import { assertEquals } from "@std/assert";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import { decide } from "../../../src/cronjob/decision/decide.ts";
import { test } from "../../support/test.ts";
import { type Row, type Then, told, world } from "./world.ts";

/** Declares a test for each row of a table: the row's world must lead to its plan. */
export function table(name: string, api: Flavour, rows: readonly Row[]): void {
  for (const [sentence, given, then] of rows) {
    test(`${name}: ${sentence}`, () => {
      const before = world(api, given);
      const plan = decide(before);
      const replaces = plan.kind === "start" ? [] : undefined;
      const expected: Then = { deletes: [], events: [], requeue: "never", replaces, ...then };
      assertEquals(withoutUndefined(told(before, plan, then)), withoutUndefined(expected));
    });
  }
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
