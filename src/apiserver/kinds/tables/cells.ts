import { type EpochMs, parseTime } from "../../../base/epoch_ms.ts";
import type { Json } from "../../resource_kind.ts";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
/** A duration is shown in the first unit of which it has fewer than `below`; below `exactBelow` with the next smaller unit too. */
const UNITS = [
  { ms: SECOND, name: "s", below: 120, exactBelow: 0 },
  { ms: MINUTE, name: "m", below: 180, exactBelow: 10 },
  { ms: HOUR, name: "h", below: 48, exactBelow: 8 },
  { ms: DAY, name: "d", below: 730, exactBelow: 8 },
  { ms: 365 * DAY, name: "y", below: Infinity, exactBelow: 8 },
];

/** Returns a duration as `kubectl get` shows ages: `45s`, `5m30s`, `3d4h`, `2y40d`. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds <= 0) return "0s";
  const index = UNITS.findIndex(({ ms, below }) => Math.floor(durationMs / ms) < below);
  const { ms, name, exactBelow } = UNITS[index]!, count = Math.floor(durationMs / ms);
  const smaller = UNITS[index - 1], rest = smaller ? Math.floor(durationMs % ms / smaller.ms) : 0;
  return `${count}${name}${count < exactBelow && rest > 0 ? `${rest}${smaller!.name}` : ""}`;
}

/** Returns how long ago an RFC 3339 time was; `absent` without a time. */
export function since(time: string | undefined | null, now: EpochMs, absent = "<unknown>"): string {
  const instant = parseTime(time);
  return instant === undefined ? absent : humanDuration(now - instant);
}

/** Returns kubectl's word where there is no text. */
export function orNone(text: string | undefined): string {
  return text || "<none>";
}

/** Returns a LabelSelector as the text of a query. */
export function selectorText(selector: Json | undefined): string {
  if (!selector) return "<none>";
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }: Json) => {
    if (operator === "Exists" || operator === "DoesNotExist") return operator === "Exists" ? key : `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} (${[...values].sort().join(",")})`;
  });
  return orNone([...equal, ...expressions].sort().join(","));
}

/** Returns how many entries there are; 0 where the map is absent. */
export function size(map: Json | undefined): number {
  return Object.keys(map ?? {}).length;
}
