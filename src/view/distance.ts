const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ["y", 365 * 86_400],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

/** Returns the two greatest units: `2d 4h`, `45s`. */
export function formatDistance(seconds: number): string {
  const first = UNITS.findIndex(([, unitSeconds]) => seconds >= unitSeconds);
  if (first < 0) return "0s";
  const parts: string[] = [];
  let left = seconds;
  for (const [name, unitSeconds] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / unitSeconds);
    left -= count * unitSeconds;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join(" ");
}
