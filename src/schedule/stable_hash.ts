/**
 * 32 bits that must never change from one version to the next: schedules would move, and triggers would run again. FNV-1a
 * over UTF-8, finished with MurmurHash3's mixer, as FNV's low bits alone follow the last character too closely.
 */
export function stableHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
