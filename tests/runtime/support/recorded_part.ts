import { aborted } from "../../../src/base/abort.ts";
import type { Runnable } from "../../../src/runtime/runnable.ts";

/** A part that writes to `log` when it runs and when it stops. */
export function recordedPart(log: string[], name: string, more: Partial<Runnable> = {}): Runnable {
  return {
    name,
    async run(signal) {
      log.push(`${name} runs`);
      await aborted(signal);
      log.push(`${name} stops`);
    },
    ...more,
  };
}
