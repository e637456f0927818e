import { nearestTimeZones } from "./nearest_time_zone.ts";
import { ScheduleError } from "./schedule_error.ts";
import { isTimeZone } from "./time_zone.ts";

/** @throws {ScheduleError} that suggests the nearest names, unless `name` is a zone's. */
export function checkTimeZone(name: string): void {
  if (isTimeZone(name)) return;
  const [first, ...others] = nearestTimeZones(name);
  const suggestion = first === undefined ? "" : `; did you mean ${[first, ...others].join(" or ")}?`;
  throw new ScheduleError("time-zone", name, `must be a name of the tz database such as Europe/Berlin${suggestion}`);
}
