/** Returns a number of 53 bits for a text that goes on from an earlier one. Not for secrets. */
export function digestOf(text: string, from = 0): number {
  let high = 0xdeadbeef ^ (from % 0x100000000);
  let low = 0x41c6ce57 ^ Math.floor(from / 0x100000000);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
