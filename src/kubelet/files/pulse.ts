import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";

const logger = loggerFor("kubelet");

/** How often output files and processes that are not our children are looked at. */
export const PULSE_MS = 200;

/** The looks of each clock, which share a timer: one for each would wake the machine a thousand times a second. */
const pulses = new WeakMap<Clock, { readonly looks: Set<() => void>; readonly stop: AbortController }>();

/** Calls `look` every {@linkcode PULSE_MS}, for the first time perhaps earlier, until the result is disposed of. */
export function lookOften(clock: Clock, look: () => void): Disposable {
  const { looks, stop } = pulses.get(clock) ?? begin(clock);
  const own = () => {
    try {
      look();
    } catch (error) {
      // The next look may succeed, as after a full disk.
      logger.error("Cannot look at a container: {error}", { error });
    }
  };
  looks.add(own);
  return { [Symbol.dispose]: () => void (looks.delete(own) && looks.size === 0 && stop.abort()) };
}

function begin(clock: Clock) {
  const pulse = { looks: new Set<() => void>(), stop: new AbortController() };
  const { signal } = pulse.stop;
  pulses.set(clock, pulse);
  signal.addEventListener("abort", () => pulses.delete(clock));
  const beat = async () => {
    while (await clock.sleep(PULSE_MS, signal).then(() => true, () => false)) pulse.looks.forEach((look) => look());
  };
  beat();
  return pulse;
}
