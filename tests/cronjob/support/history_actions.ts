import * as fc from "fast-check";
import type { BackfillSpec } from "../../../src/cronjob/api/spec_fields.ts";
import type { Fate } from "../../support/fateful_client.ts";
import { happening } from "../../support/happening.ts";

/** What can happen to a CronJob and its controller. */
export type Action =
  | { do: "wait"; seconds: number }
  | { do: "deliver"; what: "cronjobs" | "jobs"; count: number }
  | { do: "finish"; which: number; succeeds: boolean }
  | { do: "delete"; which: number }
  | { do: "fate"; fates: Fate[] }
  | { do: "crash"; downSeconds: number }
  | { do: "handOver"; downSeconds: number; fates: Fate[] }
  | { do: "edit"; schedule: number }
  | { do: "suspend"; suspend: boolean }
  | { do: "trigger" }
  /** A user pauses it by the annotation, for a while or for good, or ends that. */
  | { do: "pause"; seconds: number | "for good" | "no more" }
  /** A Pod of a Job is ready. */
  | { do: "ready"; which: number }
  /** A user asks for runs of the past, or, with no length, for none any more. */
  | { do: "backfill"; agoSeconds: number; lengthSeconds: number; more: Partial<BackfillSpec> }
  /** Others are due, so that from now on nothing is settled; or no longer. */
  | { do: "burst"; lasts: boolean }
  /** The wall clock is set. */
  | { do: "setClock"; seconds: number }
  /** The wall clock is ahead for a while. The process may die before it is set right, or after. */
  | { do: "wrongClock"; aheadSeconds: number; forSeconds: number; restarts: readonly ("ahead" | "right")[] };

const FATES: Fate[] = ["lostBefore", "lostAfter", "crashBefore", "crashAfter", "serverError"];

/** Any number of actions, of the kinds that are asked for. */
export function actions(
  options: { edits: boolean; jumps?: boolean; backfills?: boolean; pending?: boolean; refusals?: boolean },
): fc.Arbitrary<Action[]> {
  const wait = happening("wait", { seconds: fc.integer({ min: 0, max: 25 }) });
  const suspend = happening("suspend", { suspend: fc.boolean() });
  const finish = (most: number) => happening("finish", { which: fc.nat(most), succeeds: fc.boolean() });
  const anyFates = fc.constantFrom<Fate>("ok", ...FATES);
  const choices: fc.Arbitrary<Action>[] = [
    wait,
    wait,
    happening("deliver", {
      what: fc.constantFrom("cronjobs" as const, "jobs" as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
    finish(5),
    happening("delete", { which: fc.nat(5) }),
    happening("fate", { fates: fc.array(anyFates, { minLength: 1, maxLength: 3 }) }),
    happening("crash", { downSeconds: fc.integer({ min: 0, max: 40 }) }),
    happening("handOver", {
      downSeconds: fc.integer({ min: 0, max: 40 }),
      fates: fc.array(anyFates, { maxLength: 2 }),
    }),
    happening("trigger"),
    happening("burst", { lasts: fc.boolean() }),
  ];
  if (options.jumps) {
    choices.push(
      happening("setClock", { seconds: fc.integer({ min: -30, max: 60 }) }),
      happening("wrongClock", {
        aheadSeconds: fc.integer({ min: 5, max: 400 }),
        forSeconds: fc.integer({ min: 0, max: 30 }),
        restarts: fc.subarray(["ahead" as const, "right" as const]),
      }),
    );
  }
  if (options.refusals) {
    const fates = fc.array(fc.constantFrom<Fate>("ok", "refused"), { minLength: 1, maxLength: 6 });
    choices.push(happening("fate", { fates }));
  }
  if (options.pending) choices.push(happening("ready", { which: fc.nat(3) }));
  if (options.backfills) {
    choices.push(
      happening("backfill", {
        agoSeconds: fc.integer({ min: 0, max: 90 }),
        lengthSeconds: fc.integer({ min: 0, max: 60 }),
        more: fc.record({
          reprocess: fc.constantFrom("missing" as const, "failed" as const, "all" as const),
          maxActive: fc.integer({ min: 1, max: 3 }),
          reverse: fc.boolean(),
        }, { requiredKeys: [] }),
      }),
      finish(2),
      suspend,
    );
  }
  if (options.edits) {
    const seconds = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom("for good" as const, "no more" as const));
    choices.push(happening("edit", { schedule: fc.nat(2) }), happening("pause", { seconds }), suspend);
  }
  return fc.array(fc.oneof(...choices), { minLength: 5, maxLength: 60 });
}
