import { ownValue } from "../base/own_value.ts";
import { editDistance } from "./edit_distance.ts";
import { TIME_ZONE_NAMES } from "./time_zone_names.ts";

/** Abbreviations that people write for a zone and Kubernetes refuses. Each names several zones; this is the busiest. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  PST: "America/Los_Angeles",
  PDT: "America/Los_Angeles",
  PT: "America/Los_Angeles",
  MDT: "America/Denver",
  MT: "America/Denver",
  CST: "America/Chicago",
  CDT: "America/Chicago",
  CT: "America/Chicago",
  EDT: "America/New_York",
  ET: "America/New_York",
  AST: "America/Halifax",
  BRT: "America/Sao_Paulo",
  ART: "America/Argentina/Buenos_Aires",
  BST: "Europe/London",
  CEST: "Europe/Berlin",
  EEST: "Europe/Helsinki",
  MSK: "Europe/Moscow",
  SAST: "Africa/Johannesburg",
  IST: "Asia/Kolkata",
  JST: "Asia/Tokyo",
  KST: "Asia/Seoul",
  SGT: "Asia/Singapore",
  HKT: "Asia/Hong_Kong",
  AEST: "Australia/Sydney",
  AEDT: "Australia/Sydney",
  ACST: "Australia/Adelaide",
  AWST: "Australia/Perth",
  NZST: "Pacific/Auckland",
  NZDT: "Pacific/Auckland",
  Z: "UTC",
  LOCAL: "UTC",
};
const OFFSET = /^(?:UTC|GMT)?([+-])0?(\d{1,2})(?::?00)?$/i;
const LONGEST_NAME = 40;

/** Returns the names that `text` most likely stands for, best first; at most three, and none when nothing is near. */
export function nearestTimeZones(text: string): string[] {
  const wanted = text.trim();
  if (wanted.length === 0 || wanted.length > LONGEST_NAME) return [];
  const abbreviated = ownValue(ABBREVIATIONS, wanted.toUpperCase());
  if (abbreviated !== undefined) return [abbreviated];
  const offset = OFFSET.exec(wanted);
  if (offset) return offsetZone(offset[1] === "+" ? Number(offset[2]) : -Number(offset[2]));
  const wantedKey = key(wanted);
  const limit = Math.min(3, Math.floor(wantedKey.length / 3));
  const scored = [...TIME_ZONE_NAMES].map((name) => ({ name, distance: distanceToName(wantedKey, name, limit) }));
  const best = Math.min(...scored.map(({ distance }) => distance));
  if (best > limit) return [];
  return scored.filter(({ distance }) => distance === best).map(({ name }) => name).slice(0, 3);
}

/** Zones of a fixed offset bear the sign of POSIX: Etc/GMT-1 is one hour ahead of UTC. */
function offsetZone(hoursAhead: number): string[] {
  const name = hoursAhead === 0 ? "UTC" : `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`;
  return TIME_ZONE_NAMES.has(name) ? [name] : [];
}

function key(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "_");
}

/** To the whole name, or (a little worse) to the city alone. Beyond the limit it may be more than it is. */
function distanceToName(wantedKey: string, name: string, limit: number): number {
  const nameKey = key(name);
  const city = nameKey.slice(nameKey.lastIndexOf("/") + 1);
  const distanceTo = (text: string) =>
    Math.abs(text.length - wantedKey.length) > limit ? Infinity : editDistance(wantedKey, text);
  return Math.min(distanceTo(nameKey), distanceTo(city) + 0.5);
}
