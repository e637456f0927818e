import { assertEquals } from "@std/assert";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import { decide } from "../../../src/cronjob/decide.ts";
import { type Row as RowOf, table as tableOf } from "../../support/table.ts";
import { IN_ANNOTATIONS } from "./status_words.ts";
import { planInWords, type Then } from "./plan_words.ts";
import { type Given, world } from "./world.ts";

/** A row: a sentence, a world, and all that comes of it. */
export type Row = RowOf<[given: Given, then: Then]>;

/**
 * Declares a test for each row of a table: the row's world must lead to its plan. What a row expects of the tutorial's
 * status counts where the flavour has it.
 */
export function table(name: string, api: Flavour, rows: readonly Row[]): void {
  tableOf(name, rows, (given, row) => {
    const before = world(api, given);
    const then = api.openStatus ? row : inKubernetesStatus(row);
    const writes = api.openStatus || [then.start, then.status, then.annotations].some((part) => part !== undefined);
    const nothing: Then = { requeue: "never", writes };
    assertEquals(whatHappens(planInWords(before, decide(before), then)), whatHappens({ ...nothing, ...then }));
  });
}

const KUBERNETES_FIELDS = ["active", "lastScheduleTime", "lastSuccessfulTime"];

/** Without what only the tutorial's status has room for. */
function inKubernetesStatus({ status = {}, conditions: _, ...then }: Then): Then {
  const isOf = (field: string) => KUBERNETES_FIELDS.includes(field) || field in IN_ANNOTATIONS;
  const fields = Object.entries(status).filter(([field]) => isOf(field));
  return { ...then, ...fields.length > 0 && { status: Object.fromEntries(fields) } };
}

/** Without what does not happen. */
function whatHappens(then: Then): Partial<Then> {
  return Object.fromEntries(
    Object.entries(then).filter(([, value]) => value !== undefined && value !== false && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
