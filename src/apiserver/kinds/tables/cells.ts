import { type EpochMs, parseTime } from "../../../schedule/epoch_ms.ts";
import type { Json } from "../../resource_kind.ts";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** Returns a duration as `kubectl get` shows ages: `45s`, `5m30s`, `3d4h`, `2y40d`. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(durationMs / MINUTE);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(durationMs / HOUR);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(durationMs / DAY);
  if (days < 8) return two(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}

/** Returns how long ago that was, or `absent` for no time at all. */
export function since(time: string | undefined | null, now: EpochMs, absent = "<unknown>"): string {
  const instant = parseTime(time);
  return instant === undefined ? absent : humanDuration(now - instant);
}

/** Returns kubectl's word where there is no text. */
export function orNone(text: string | undefined): string {
  return text || "<none>";
}

/** Returns the names of the containers, with commas between them. */
export function containerNames(spec: Json): string {
  return (spec.containers ?? []).map(({ name }: Json) => name).join(",");
}

/** Returns the images of the containers, in the same order. */
export function containerImages(spec: Json): string {
  return (spec.containers ?? []).map(({ image }: Json) => image).join(",");
}

/** Returns a LabelSelector as the text of a query. */
export function selectorText(selector: Json | undefined): string {
  if (!selector) return "<none>";
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }: Json) => {
    switch (operator) {
      case "Exists":
        return key;
      case "DoesNotExist":
        return `!${key}`;
      default:
        return `${key} ${operator === "In" ? "in" : "notin"} (${[...values].sort().join(",")})`;
    }
  });
  return orNone([...equal, ...expressions].sort().join(","));
}

/** Returns how many entries there are; 0 where the map is absent. */
export function size(map: Json | undefined): number {
  return Object.keys(map ?? {}).length;
}
