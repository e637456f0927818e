import { keptValue, useValue } from "./value.ts";

/** The zone of the visitor. */
export const VIEWERS_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const shown = new Map<string, string>();

/** Returns the zone that times of a CronJob are shown in: UTC where the browser is older than the CronJob's zone. */
export function shownZone(zone: string): string {
  let known = shown.get(zone);
  if (known === undefined) shown.set(zone, known = isZone(zone) ? zone : "UTC");
  return known;
}

function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat(undefined, { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** By which wall clock times are shown, and how the visitor reads that. */
export const CLOCKS = { schedule: "schedule's time", mine: VIEWERS_ZONE, UTC: "UTC" } as const;

export type ClockName = keyof typeof CLOCKS;

export const clockName = keptValue(
  "times",
  (text) => Object.hasOwn(CLOCKS, text) ? text as ClockName : "schedule",
);

/** The zone in which a time of a CronJob of this zone is shown. */
export function useZone(zone: string): string {
  const name = useValue(clockName);
  return name === "schedule" ? zone : name === "mine" ? VIEWERS_ZONE : "UTC";
}
