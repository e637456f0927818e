import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";

const logger = loggerFor("kubelet");

/** How often output files and processes that are not our children are looked at. */
export const PULSE_MS = 200;

/** Calls `look` every {@linkcode PULSE_MS} until the result is disposed of. */
export function lookOften(clock: Clock, look: () => void): Disposable {
  const stop = new AbortController();
  const beat = async () => {
    while (await clock.sleep(PULSE_MS, stop.signal).then(() => true, () => false)) {
      try {
        look();
      } catch (error) {
        // The next look may succeed, as after a full disk.
        logger.error("Cannot look at a container: {error}", { error });
      }
    }
  };
  beat();
  return { [Symbol.dispose]: () => stop.abort() };
}
