/** The part of DER (ITU-T X.690) that certificates are written in. */
export type Der = Uint8Array<ArrayBuffer>;

/** One value as it was read: its tag, its content, and all of its bytes. */
export interface DerValue {
  readonly tag: number;
  readonly content: Der;
  readonly whole: Der;
}

export const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Returns the tag of a field `[n]` that holds a value of its own. */
export function explicitTag(number: number): number {
  return 0xa0 | number;
}

/** Returns the tag of a field `[n]` that stands for the tag of a plain value. */
export function implicitTag(number: number): number {
  return 0x80 | number;
}

/** Returns a value of this tag, whose content is all of that. */
export function der(tag: number, ...content: readonly (Der | readonly number[])[]): Der {
  const body = content.flatMap((part) => [...part]);
  return Uint8Array.from([tag, ...lengthOf(body.length), ...body]);
}

/** Returns values in their order; DER has no other list. */
export function sequence(...values: readonly Der[]): Der {
  return der(TAGS.sequence, ...values);
}

/** Returns the integer whose big-endian bytes these are; it has no sign. */
export function unsignedInteger(bytes: Der | readonly number[]): Der {
  const all = [...bytes];
  const first = all.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? [0] : all.slice(first);
  return der(TAGS.integer, digits[0]! >= 0x80 ? [0, ...digits] : digits);
}

/** Returns an object identifier, such as `2.5.4.3`. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  return der(TAGS.objectIdentifier, [first * 40 + second, ...others].flatMap(base128));
}

/** Returns a text in the type that X.509 wants for names. */
export function utf8String(text: string): Der {
  return der(TAGS.utf8String, new TextEncoder().encode(text));
}

/** @param unused how many bits at the end do not count */
export function bitString(bytes: Der | readonly number[], unused = 0): Der {
  return der(TAGS.bitString, [unused], bytes);
}

/** Returns a time in whole seconds, in the form that X.509 asks for in its year. */
export function time(at: Date): Der {
  const digits = at.toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:T]/g, "");
  const inCentury = at.getUTCFullYear() >= 1950 && at.getUTCFullYear() < 2050;
  const text = new TextEncoder().encode(inCentury ? digits.slice(2) : digits);
  return der(inCentury ? TAGS.utcTime : TAGS.generalizedTime, text);
}

/**
 * Returns the values that stand one after the other in these bytes.
 *
 * @throws {RangeError} for bytes that end in the middle of a value
 */
export function valuesIn(bytes: Der): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const { start, end } = extentOf(bytes, at);
    if (!(end <= bytes.length)) throw new RangeError(`Cannot read DER: it ends within the value at ${at}`);
    values.push({ tag: bytes[at]!, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) });
    at = end;
  }
  return values;
}

function extentOf(bytes: Der, at: number): { start: number; end: number } {
  const short = bytes[at + 1] ?? NaN;
  if (!(short >= 0x80)) return { start: at + 2, end: at + 2 + short };
  const start = at + 2 + (short & 0x7f);
  const length = bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return { start, end: start + length };
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return [0x80 | digits.length, ...digits];
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | rest % 128);
  return digits;
}
