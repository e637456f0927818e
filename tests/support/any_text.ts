import * as fc from "fast-check";

/**
 * Any text, with characters of all Unicode: what `fc.string({ unit: "binary" })` gives, which first fills a map with a
 * million characters, for two seconds.
 */
export function anyText(): fc.Arbitrary<string> {
  const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
  return fc.string({
    unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), character.filter((text) => text.isWellFormed())),
  });
}
