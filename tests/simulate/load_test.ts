import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { Load } from "../../src/simulate/load.ts";
import type { DoneRuns } from "../../src/simulate/runs.ts";
import { test } from "../support/test.ts";
import { allRuns } from "./support/all_runs.ts";

const FROM = Date.parse("2026-03-10T09:02:00Z");
const SPAN = { from: FROM, to: FROM + 20 * 60_000 };

const done: fc.Arbitrary<DoneRuns> = fc.record({
  regular: fc.record({
    times: fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat(20))
      .map(([step, count]) => Array.from({ length: count }, (_, i) => FROM + (i * step - 120) * 1_000)),
    offsetMs: fc.constant(0),
    durationMs: fc.integer({ min: 1, max: 400 }).map((seconds) => seconds * 1_000),
  }),
  single: fc.array(
    fc.record({ start: fc.integer({ min: -200, max: 1_300 }), lasts: fc.integer({ min: 1, max: 400 }) })
      .map(({ start, lasts }) => ({
        scheduledTime: undefined,
        startsAt: FROM + start * 1_000,
        endsAt: FROM + (start + lasts) * 1_000,
        isReplaced: false,
      })),
    { maxLength: 5 },
  ),
  refused: fc.constant([]),
  breaches: fc.constant([]),
});

test("a load is what a look at each second and each minute finds", () => {
  fc.assert(
    fc.property(fc.array(done, { maxLength: 8 }), (all) => {
      const load = new Load(SPAN);
      for (const one of all) load.add(one, { cpuMillis: 100, memoryBytes: 1 });
      const runs = all.flatMap(allRuns);
      const sum = (isCounted: (run: typeof runs[number]) => boolean) => runs.filter(isCounted).length;
      const seconds = Array.from({ length: 1_200 }, (_, i) => FROM + i * 1_000);
      const active = seconds.map((at) => sum(({ startsAt, endsAt }) => startsAt <= at && at < endsAt));
      const minutes = Array.from({ length: 20 }, (_, i) => FROM + i * 60_000);
      const starts = minutes.map((at) => sum(({ startsAt }) => at <= startsAt && startsAt < at + 60_000));
      const peak = Math.max(...active);
      assertEquals(load.peakActive, { value: peak, at: seconds[active.indexOf(peak)] });
      assertEquals(load.peakCpuMillis.value, peak * 100);
      assertEquals(load.peakMemoryBytes.value, peak);
      assertEquals(load.peakStarts, { value: Math.max(...starts), at: minutes[starts.indexOf(Math.max(...starts))] });
      assertEquals(load.runs, starts.reduce((a, b) => a + b));
      // The first five minutes begin at 09:00, the last at 09:20.
      const cells = [[0, 3], [3, 8], [8, 13], [13, 18], [18, 20]] as const;
      assertEquals(load.cells, {
        from: Date.parse("2026-03-10T09:00:00Z"),
        starts: cells.map(([from, to]) => Math.max(...starts.slice(from, to))),
        active: cells.map(([from, to]) => Math.max(...active.slice(from * 60, to * 60))),
      });
    }),
    { numRuns: 200 },
  );
});
