import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** Returns whether an `@every` counts from whatever instant it is asked about, as nothing anchors it. */
export function floats({ everyMs, anchor }: Schedule): boolean {
  return everyMs !== undefined && anchor === undefined;
}

/** Returns the schedule as it counts from this instant, where it floats; any other as it is. */
export function anchoredFrom(schedule: Schedule, from: EpochMs): Schedule {
  return floats(schedule) ? schedule.anchoredAt(from) : schedule;
}
