/** Returns whether a resource version is older than another one. Those that are no numbers cannot be compared. */
export function isOlderVersion(version: string, other: string): boolean {
  return [version, other].every((one) => /^\d+$/.test(one)) && BigInt(version) < BigInt(other);
}
