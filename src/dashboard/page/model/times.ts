// @ts-check
// Prints times as the commands do.

const DAY_MS = 86_400_000;

/** @type {readonly (readonly [name: string, seconds: number])[]} */
const UNITS = [["y", 365 * 86_400], ["d", 86_400], ["h", 3_600], ["m", 60], ["s", 1]];

/** The two greatest units: `2d 4h`, `45s`. @param {number} ms */
export function lasting(ms) {
  let left = Math.max(0, Math.round(ms / 1_000));
  const first = UNITS.findIndex(([, seconds]) => left >= seconds);
  if (first < 0) return "0s";
  const parts = [];
  for (const [name, seconds] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join(" ");
}

/** How long a run took: below ten seconds in tenths. @param {number} ms */
export function duration(ms) {
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)}s` : lasting(ms);
}

/** As short as it is clear: `02:00`, `Mon 02:00`, `2026-12-24 02:00`. @param {number} at @param {string} zone @param {number} now */
export function nearTime(at, zone, now) {
  const far = Math.abs(at - now);
  const { date, weekday, clock } = wallOf(at, zone);
  return far < DAY_MS ? clock : far < 6 * DAY_MS ? `${weekday} ${clock}` : `${date} ${clock}`;
}

/** `Sat 2026-11-21 02:00 Europe/Berlin` @param {number} at @param {string} zone */
export function fullTime(at, zone) {
  const { date, weekday, clock } = wallOf(at, zone);
  return `${weekday} ${date} ${clock} ${zone}`;
}

/** The zone of the visitor. */
export const VIEWERS_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @typedef {{ date: string, weekday: string, clock: string }} Wall */

/** Rows are drawn every second, and their times stay. @type {Map<string, Wall>} */
const walls = new Map();

const MAX_WALLS = 5_000;

/** The wall clock of a zone. @param {number} at @param {string} zone @returns {Wall} */
export function wallOf(at, zone) {
  const key = `${Math.floor(at / 1_000)} ${zone}`;
  let wall = walls.get(key);
  if (!wall) {
    if (walls.size >= MAX_WALLS) walls.clear();
    walls.set(key, wall = newWall(at, zone));
  }
  return wall;
}

/** @param {number} at @param {string} zone @returns {Wall} */
function newWall(at, zone) {
  /** @type {Record<string, string>} */
  const parts = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = value;
  const { year = "", month, day, weekday = "", hour, minute, second } = parts;
  const clock = second === "00" ? `${hour}:${minute}` : `${hour}:${minute}:${second}`;
  return { date: `${year.padStart(4, "0")}-${month}-${day}`, weekday, clock };
}

/** How far the wall clock of a zone is ahead of UTC. @param {number} at @param {string} zone */
export function offsetMs(at, zone) {
  const { date, clock } = wallOf(at, zone);
  return Date.parse(`${date}T${clock}Z`) - Math.floor(at / 1_000) * 1_000;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone */
function formatOf(zone) {
  let format = formats.get(zone);
  if (!format) formats.set(zone, format = newFormat(zone));
  return format;
}

/** @param {string} timeZone */
function newFormat(timeZone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const options = {
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  };
  return new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
}
