import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { test } from "../support/test.ts";
import { History } from "./support/history.ts";
import type { Action } from "./support/history_actions.ts";

/** What started was never recorded, and the spec was written after the first of it. */
const UNRECORDED: readonly Action[] = [
  { do: "suspend", suspend: false },
  { do: "wait", seconds: 15 },
  { do: "backfill", agoSeconds: 0, lengthSeconds: 46, more: {} },
  { do: "wait", seconds: 1 },
  { do: "suspend", suspend: false },
  { do: "wait", seconds: 5 },
  { do: "burst", lasts: false },
  { do: "crash", downSeconds: 39 },
  { do: "wait", seconds: 0 },
  { do: "crash", downSeconds: 0 },
];

test("a back-fill of an @every is about the times that it ran at, whether they were recorded or not", async () => {
  const history = new History({
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", catchUp: { policy: "All", maxParallel: 100 } },
    prompt: false,
  });
  for (const action of UNRECORDED) await history.act(action);
  await history.settle();
  const { state, slots, succeeded, failed, gone, skipped } = history.recordedBackfill!;
  assertEquals({ state, slots, succeeded, failed, gone, skipped }, {
    // The run of the instant at which the spec was written, which the schedule itself leaves out.
    state: "Running",
    slots: 9,
    succeeded: 0,
    failed: 0,
    gone: 0,
    skipped: 8,
  });
});
