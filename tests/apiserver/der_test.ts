import { assertEquals, assertThrows } from "@std/assert";
import {
  bitString,
  type Der,
  der,
  explicitTag,
  implicitTag,
  objectIdentifier,
  sequence,
  time,
  unsignedInteger,
  utf8String,
  valuesIn,
} from "../../src/apiserver/security/der.ts";
import { test } from "../support/test.ts";

const VALUES: readonly [what: string, value: Der, hex: string][] = [
  ["zero", unsignedInteger([0]), "020100"],
  ["no digits", unsignedInteger([]), "020100"],
  ["the greatest integer of one byte", unsignedInteger([0x7f]), "02017f"],
  ["an integer whose first bit is no sign", unsignedInteger([0x80]), "02020080"],
  ["an integer with zeros before it", unsignedInteger([0, 0, 0x12, 0x34]), "02021234"],
  ["prime256v1", objectIdentifier("1.2.840.10045.3.1.7"), "06082a8648ce3d030107"],
  ["commonName", objectIdentifier("2.5.4.3"), "0603550403"],
  ["text", utf8String("Ä"), "0c02c384"],
  ["bits", bitString([0b1000_0000], 7), "03020780"],
  ["an empty sequence", sequence(), "3000"],
  ["a sequence", sequence(unsignedInteger([1]), unsignedInteger([2])), "3006020101020102"],
  ["a field with a value of its own", der(explicitTag(3), unsignedInteger([1])), "a303020101"],
  ["a field that is a plain value", der(implicitTag(7), [127, 0, 0, 1]), "87047f000001"],
  ["the last second of a two-digit year", time(new Date("2049-12-31T23:59:59.999Z")), "170d3439313233313233353935395a"],
  ["the first of a four-digit one", time(new Date("2050-01-01T00:00:00Z")), "180f32303530303130313030303030305a"],
  ["the first of a two-digit one", time(new Date("1950-01-01T00:00:00Z")), "170d3530303130313030303030305a"],
];

for (const [what, value, hex] of VALUES) {
  test(`DER of ${what}`, () => assertEquals(value.toHex(), hex));
}

const LENGTHS: readonly [bytes: number, header: string][] = [
  [0, "0400"],
  [127, "047f"],
  [128, "048180"],
  [255, "0481ff"],
  [256, "04820100"],
  [65_536, "0483010000"],
];

for (const [bytes, header] of LENGTHS) {
  test(`DER of ${bytes} bytes is read as it was written, between others`, () => {
    const value = der(4, new Uint8Array(bytes).fill(5));
    assertEquals(value.subarray(0, header.length / 2).toHex(), header);
    const [before, read, after] = valuesIn(Uint8Array.from([...unsignedInteger([1]), ...value, ...sequence()]));
    assertEquals([before!.tag, after!.tag], [2, 0x30]);
    assertEquals([read!.tag, read!.content.length, read!.whole.toHex()], [4, bytes, value.toHex()]);
  });
}

for (const hex of ["04", "0402ff", "0481", "048180ff"]) {
  test(`DER that ends too early is refused: ${hex}`, () => {
    assertThrows(() => valuesIn(Uint8Array.fromHex(hex)), RangeError, "it ends within the value at 0");
  });
}
