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
