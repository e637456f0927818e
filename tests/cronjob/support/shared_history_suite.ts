import * as fc from "fast-check";
import { test } from "../../support/test.ts";
import { actions, type Setting, SharedHistory } from "./shared_history.ts";

const SETTINGS: Record<string, Setting> = {
  "Allow": { spec: { concurrencyPolicy: "Allow" }, contested: false },
  "Forbid": { spec: { concurrencyPolicy: "Forbid" }, contested: false },
  "Replace": { spec: { concurrencyPolicy: "Replace" }, contested: false },
  "Allow, contested": { spec: { concurrencyPolicy: "Allow" }, contested: true },
  "Forbid, contested": { spec: { concurrencyPolicy: "Forbid" }, contested: true },
};

/** Random histories of a CronJob that goes from one controller to the other and back. */
export function sharedHistoryTests({ runs }: { runs: number }): void {
  for (const [name, setting] of Object.entries(SETTINGS)) {
    test(`Two controllers keep the promises in any history of adoptions and releases: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.boolean(), actions(setting), async (prompt, steps) => {
          const history = new SharedHistory(setting, prompt);
          for (const step of steps) {
            await history.undergo(step);
            history.checkSafety();
          }
          await history.settle();
          history.checkSafety();
          history.checkTruth();
        }),
        { numRuns: runs },
      );
    });
  }
}
