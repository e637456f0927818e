import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";

const logger = loggerFor("kubelet");

/** How often output files and processes that are not our children are looked at. */
export const PULSE_MS = 200;

/** What is looked at by a clock. A timer for each would wake the machine a thousand times a second. */
interface Pulse {
  readonly looks: Set<{ readonly look: () => void }>;
  readonly stop: AbortController;
}

const pulses = new WeakMap<Clock, Pulse>();

/** Calls `look` every {@linkcode PULSE_MS}, for the first time perhaps earlier, until the result is disposed of. */
export function lookOften(clock: Clock, look: () => void): Disposable {
  const pulse = pulses.get(clock) ?? begin(clock);
  const own = { look };
  pulse.looks.add(own);
  return {
    [Symbol.dispose]() {
      if (!pulse.looks.delete(own) || pulse.looks.size > 0) return;
      pulses.delete(clock);
      pulse.stop.abort();
    },
  };
}

function begin(clock: Clock): Pulse {
  const pulse: Pulse = { looks: new Set(), stop: new AbortController() };
  pulses.set(clock, pulse);
  const beat = async () => {
    while (await clock.sleep(PULSE_MS, pulse.stop.signal).then(() => true, () => false)) {
      for (const { look } of pulse.looks) {
        try {
          look();
        } catch (error) {
          // The next look may succeed, as after a full disk.
          logger.error("Cannot look at a container: {error}", { error });
        }
      }
    }
  };
  beat();
  return pulse;
}
