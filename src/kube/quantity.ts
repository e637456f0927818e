const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?))$/;
const DECIMAL_EXPONENTS: Record<string, number> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const DECIMAL_SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Thrown for text that is no Kubernetes quantity, with Kubernetes' words. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
  constructor() {
    super("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
}

/** A quantity in whole billionths, which is as fine as they get. */
interface Quantity {
  readonly nanos: bigint;
  readonly format: "decimal" | "exponent" | "binary";
}

/** The largest quantity: text that says more stands for this. */
const MOST_NANOS = (2n ** 63n - 1n) * 1_000_000_000n;
/** Ten to this power times any digits is more than that. */
const FARTHEST_POWER = 40;

/** @throws {QuantityError} */
function parse(text: string): Quantity {
  const match = PATTERN.exec(text);
  if (!match || (!match[2] && !match[3])) throw new QuantityError();
  const [, sign, whole, fraction = "", exponent, suffix = ""] = match;
  const digits = BigInt((whole || "0") + fraction);
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  const power = 9 - fraction.length + (exponent ? Number(exponent.slice(1)) : DECIMAL_EXPONENTS[suffix] ?? 0);
  const scaled = digits * (binary > 0 ? 1024n ** BigInt(binary) : 1n);
  const size = timesTenTo(power, scaled);
  const nanos = size > MOST_NANOS ? MOST_NANOS : size;
  return { nanos: sign === "-" ? -nanos : nanos, format: binary > 0 ? "binary" : exponent ? "exponent" : "decimal" };
}

/** Returns the product, rounded up. However large the power, it computes no number far beyond the limits. */
function timesTenTo(power: number, digits: bigint): bigint {
  if (digits === 0n) return 0n;
  if (power >= 0) return digits * 10n ** BigInt(Math.min(power, FARTHEST_POWER));
  return -power > digits.toString(16).length * 2 ? 1n : divideUp(digits, 10n ** BigInt(-power));
}

/**
 * Returns the canonical form of a quantity: `1000m` is `1`, `0.5` is `500m`, `1024Ki` is `1Mi`. A number stands for its
 * text.
 *
 * @throws {QuantityError}
 */
export function canonicalQuantity(value: string | number): string {
  return written(parse(String(value)));
}

function written({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const base = 1_000_000_000n;
  if (format === "binary" && size % base === 0n && size / base >= 1024n) {
    let units = size / base, power = 0;
    while (power < BINARY_SUFFIXES.length - 1 && units % 1024n === 0n) {
      units /= 1024n;
      power++;
    }
    return `${sign}${units}${BINARY_SUFFIXES[power]}`;
  }
  let digits = size, step = 0;
  while (step < DECIMAL_SUFFIXES.length - 1 && digits % 1000n === 0n) {
    digits /= 1000n;
    step++;
  }
  if (format !== "exponent") return `${sign}${digits}${DECIMAL_SUFFIXES[step]}`;
  const exponent = step * 3 - 9;
  return exponent === 0 ? `${sign}${digits}` : `${sign}${digits}e${exponent}`;
}

/** Returns -1, 0 or 1 as `a` is less than, equal to or more than `b`. @throws {QuantityError} */
export function compareQuantities(a: string, b: string): number {
  const difference = parse(a).nanos - parse(b).nanos;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Returns a quantity in whole units or thousandths, rounded up as the scheduler has it; 0 for what is no quantity. */
export function unitsOf(value: unknown, unit: "whole" | "milli"): number {
  try {
    return Number(divideUp(parse(String(value)).nanos, unit === "milli" ? 1_000_000n : 1_000_000_000n));
  } catch (error) {
    if (error instanceof QuantityError) return 0;
    throw error;
  }
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
