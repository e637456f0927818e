import { canonicalQuantity, QuantityError } from "../../kube/quantity.ts";
import { formatMicroTime, formatTime, parseTime } from "../../base/epoch_ms.ts";

/** Thrown where a value cannot be what its field is; the message goes on from the field's name. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/** All there is to know of a type that has no parts. */
export interface Scalar {
  /** For messages: `must be a whole number`. */
  readonly what: string;
  /** The value that is written where a required field was not given. */
  readonly zero: unknown;
  /** Go's `omitempty` has an effect on it. */
  readonly omitsZero?: boolean;
  readonly openApi: Readonly<Record<string, unknown>>;
  /**
   * Returns the value in its one form; undefined for what is of another type.
   *
   * @throws {TypeMismatch} for what is of the type, but cannot be read
   */
  readonly read: (value: unknown) => unknown;
}

/** By the names that type tables use. */
export const SCALARS = {
  string: plain("string", "a string", ""),
  bool: plain("boolean", "true or false", false),
  int32: { ...whole(2 ** 31), what: "a whole number of 32 bits", openApi: { type: "integer", format: "int32" } },
  int64: { ...whole(2 ** 63), what: "a whole number", openApi: { type: "integer", format: "int64" } },
  double: { ...plain("number", "a number", 0), openApi: { type: "number", format: "double" } },
  bytes: { what: "a string in base64", zero: "", openApi: { type: "string", format: "byte" }, read: text(readBase64) },
  time: { what: "a time", zero: null, openApi: { type: "string", format: "date-time" }, read: text(readTime) },
  microtime: {
    what: "a time",
    zero: null,
    openApi: { type: "string", format: "date-time" },
    read: text(readMicroTime),
  },
  quantity: {
    what: "a quantity",
    zero: "0",
    openApi: { oneOf: [{ type: "string" }, { type: "number" }] },
    read: readQuantity,
  },
  intOrString: {
    what: "a whole number or a string",
    zero: 0,
    openApi: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    read: (value) => typeof value === "string" ? value : whole(2 ** 31).read(value),
  },
  any: {
    what: "a value",
    zero: null,
    openApi: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    read: (value) => value,
  },
} satisfies Readonly<Record<string, Scalar>>;

export type ScalarType = keyof typeof SCALARS;

function plain(type: string, what: string, zero: unknown): Scalar {
  const read = (value: unknown) => {
    const given = typeof value;
    return given === type ? value : undefined;
  };
  return { what, zero, omitsZero: true, openApi: { type }, read };
}

/** @param limit of whole numbers: `-limit <= value < limit` */
function whole(limit: number): Pick<Scalar, "zero" | "omitsZero" | "read"> {
  const isInRange = (value: number) => Number.isInteger(value) && value >= -limit && value <= limit - 1;
  return { zero: 0, omitsZero: true, read: (value) => isInRange(value as number) ? value : undefined };
}

function text(read: (text: string) => string): Scalar["read"] {
  return (value) => typeof value === "string" ? read(value) : undefined;
}

/** Returns the type of a JSON value as JSON names it. */
export function jsonTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function readBase64(value: string): string {
  const bare = value.replaceAll(/[\r\n]/g, "");
  if (/[^A-Za-z0-9+/=]|=(?!=?$)/.test(bare) || bare.length % 4 !== 0) throw new TypeMismatch("must be base64");
  return value;
}

function readTime(value: string): string {
  return formatTime(instantOf(value));
}

function readMicroTime(value: string): string {
  // Milliseconds are all that an instant has; the microseconds come from the text.
  const instant = instantOf(value), fraction = /\.\d{6}/.exec(value)?.[0];
  if (!fraction) {
    throw new TypeMismatch(`${JSON.stringify(value)} must have microseconds, such as 2026-01-02T03:04:05.000000Z`);
  }
  return formatMicroTime(instant).replace(/\.\d{6}Z$/, `${fraction}Z`);
}

function instantOf(value: string): number {
  const instant = parseTime(value);
  if (instant === undefined) {
    throw new TypeMismatch(`${JSON.stringify(value)} must be a time such as 2026-01-02T03:04:05Z`);
  }
  return instant;
}

function readQuantity(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") throw new TypeMismatch(new QuantityError().message);
  try {
    return canonicalQuantity(value);
  } catch (error) {
    throw new TypeMismatch((error as Error).message, { cause: error });
  }
}
