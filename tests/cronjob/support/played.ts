import { assertEquals } from "@std/assert";
import { type Flavour, FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import { type Row as RowOf, table } from "../../support/table.ts";
import type { Edit } from "./simulated_server.ts";
import { Starting, type StartingGiven } from "./starting.ts";

/** What happens after the next run, that of 10:01, was armed at 10:00:30. */
export type Step =
  | { at: string; edit: Edit; isDelivered: boolean }
  | { at: string; remove: true }
  /** A timer says that an instant has come. */
  | { fire: string; starts: string[] }
  /** All news arrives and is settled; `slots` is all that has ever started. */
  | { settle: string; slots: string[] };

/** A row of {@linkcode played}. */
export type Row = RowOf<[given: StartingGiven, steps: readonly Step[]]>;

/** Lives through the steps, each of which must lead to what it says. */
export async function play(given: StartingGiven, steps: readonly Step[]): Promise<Starting> {
  const starting = new Starting(given);
  await starting.comeToRest();
  for (const step of steps) {
    if ("fire" in step) {
      starting.set(step.fire);
      assertEquals(await starting.fire(), step.starts, `Started at ${step.fire}`);
    } else if ("settle" in step) {
      starting.set(step.settle);
      await starting.comeToRest();
      assertEquals(starting.slots(), step.slots, `All that has started by ${step.settle}`);
    } else {
      starting.set(step.at);
      if ("edit" in step) starting.edit(step.edit);
      else starting.remove();
      if ("remove" in step || step.isDelivered) starting.deliverAll();
    }
  }
  return starting;
}

/** Declares a test for each row. */
export function played(name: string, rows: readonly Row[]): void {
  table(name, rows, async (...parts) => void await play(...parts));
}

/** The rows in each flavour. */
export function inEachFlavour(rowsOf: (flavour: Flavour) => readonly Row[]): Row[] {
  return FLAVOURS.flatMap((flavour) =>
    rowsOf(flavour).map(([sentence, given, steps]): Row => [
      `${sentence} (${flavour.controllerName})`,
      { flavour, ...given },
      steps,
    ])
  );
}
