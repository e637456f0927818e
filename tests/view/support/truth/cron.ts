import type { EpochMs } from "../../../../src/base/epoch_ms.ts";

const MINUTE = 60_000;

/**
 * When Debian's cron runs an entry of minutes and hours, by its documentation: one whose minute or hour begins with a star
 * goes by the wall clock as it is; any other that the clocks skip runs right after, and none runs twice as they go back.
 */
export function cronRunsIn(entry: string, zone: string, from: EpochMs, to: EpochMs): EpochMs[] {
  const [minutes, hours] = entry.split(" ") as [string, string];
  const isWildcard = minutes.startsWith("*") || hours.startsWith("*");
  const names = (wall: number) =>
    isNamed(minutes, Math.floor(wall / MINUTE) % 60) && isNamed(hours, Math.floor(wall / 60 / MINUTE) % 24);
  const wallAt = wallClockOf(zone);
  const runs: EpochMs[] = [];
  // Early enough for the clocks to have been set back before.
  const first = Math.floor(from / MINUTE) * MINUTE - 180 * MINUTE;
  let newest = wallAt(first);
  for (let time = first + MINUTE; time <= to; time += MINUTE) {
    const wall = wallAt(time);
    if (isWildcard) {
      if (names(wall)) runs.push(time);
      continue;
    }
    for (let skipped = newest + MINUTE; skipped <= wall; skipped += MINUTE) if (names(skipped)) runs.push(time);
    newest = Math.max(newest, wall);
  }
  return runs.filter((time) => time > from);
}

/** `30`, `*`, `*∕20` or `1-3`, and lists of them. */
function isNamed(field: string, value: number): boolean {
  return field.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/");
    const [first = "", last = first] = range.split("-");
    if (range === "*") return value % Number(step) === 0;
    return value >= Number(first) && value <= Number(last) && (value - Number(first)) % Number(step) === 0;
  });
}

/** The wall clock as if it were UTC. */
function wallClockOf(zone: string): (time: EpochMs) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return (time) => Date.parse(`${format.format(time).replace(" ", "T")}Z`);
}
