import { canonicalQuantity, QuantityError } from "../../kube/quantity.ts";
import { formatMicroTime, formatTime, parseTime } from "../../base/epoch_ms.ts";

/** All there is to know of a type that has no parts. */
export interface Scalar {
  /** For messages: `must be a whole number`. */
  readonly what: string;
  /** The value that is written where a required field was not given. */
  readonly zero: unknown;
  /** Go's `omitempty` has an effect on it. */
  readonly omitsZero?: boolean;
  readonly openApi: Readonly<Record<string, unknown>>;
  /** Returns the value in its one form; undefined for what is of another type, or cannot be read. */
  readonly read: (value: unknown) => unknown;
}

/** By the names that type tables use. */
export const SCALARS = {
  string: plain("string", "a string", ""),
  bool: plain("boolean", "true or false", false),
  int32: { ...whole(2 ** 31), what: "a whole number of 32 bits", openApi: { type: "integer", format: "int32" } },
  int64: { ...whole(2 ** 63), what: "a whole number", openApi: { type: "integer", format: "int64" } },
  double: { ...plain("number", "a number", 0), openApi: { type: "number", format: "double" } },
  bytes: { what: "base64", zero: "", openApi: { type: "string", format: "byte" }, read: text(readBase64) },
  time: {
    what: "a time such as 2026-01-02T03:04:05Z",
    zero: null,
    openApi: { type: "string", format: "date-time" },
    read: text(readTime),
  },
  microtime: {
    what: "a time with microseconds such as 2026-01-02T03:04:05.000000Z",
    zero: null,
    openApi: { type: "string", format: "date-time" },
    read: text(readMicroTime),
  },
  quantity: {
    what: "a quantity such as 500m, 2 or 128Mi",
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

function text(read: (text: string) => string | undefined): Scalar["read"] {
  return (value) => typeof value === "string" ? read(value) : undefined;
}

/** Returns the type of a JSON value as JSON names it. */
export function jsonTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function readBase64(value: string): string | undefined {
  const bare = value.replaceAll(/[\r\n]/g, "");
  return /[^A-Za-z0-9+/=]|=(?!=?$)/.test(bare) || bare.length % 4 !== 0 ? undefined : value;
}

function readTime(value: string): string | undefined {
  const instant = parseTime(value);
  return instant === undefined ? undefined : formatTime(instant);
}

function readMicroTime(value: string): string | undefined {
  // Milliseconds are all that an instant has; the microseconds come from the text.
  const instant = parseTime(value), fraction = /\.\d{6}/.exec(value)?.[0];
  if (instant === undefined || !fraction) return undefined;
  return formatMicroTime(instant).replace(/\.\d{6}Z$/, `${fraction}Z`);
}

function readQuantity(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  try {
    return canonicalQuantity(value);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
