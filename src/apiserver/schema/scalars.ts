import { canonicalQuantity, QuantityError } from "../../kube/quantity.ts";
import { formatMicroTime, formatTime, parseTime } from "../../schedule/epoch_ms.ts";

/** Thrown where a value cannot be what its field is; the message is Go's. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
  /** What Go says where it reads values of its own rather than JSON. @default the message */
  readonly restored: string | undefined;

  constructor(message: string, { restored, ...options }: ErrorOptions & { readonly restored?: string } = {}) {
    super(message, options);
    this.restored = restored;
  }
}

/** All there is to know of a type that has no parts. */
export interface Scalar {
  readonly goType: string;
  /** What stands where it must be written and nothing was given. */
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
  string: plain("string", "string", ""),
  bool: plain("boolean", "bool", false),
  int32: { ...whole(2 ** 31), goType: "int32", openApi: { type: "integer", format: "int32" } },
  int64: { ...whole(2 ** 63), goType: "int64", openApi: { type: "integer", format: "int64" } },
  double: { ...plain("number", "float64", 0), openApi: { type: "number", format: "double" } },
  bytes: { goType: "[]uint8", zero: "", openApi: { type: "string", format: "byte" }, read: text(readBase64) },
  time: { goType: "v1.Time", zero: null, openApi: { type: "string", format: "date-time" }, read: onlyText(readTime) },
  microtime: {
    goType: "v1.Time",
    zero: null,
    openApi: { type: "string", format: "date-time" },
    read: onlyText(readMicroTime),
  },
  quantity: {
    goType: "resource.Quantity",
    zero: "0",
    openApi: { oneOf: [{ type: "string" }, { type: "number" }] },
    read: readQuantity,
  },
  intOrString: {
    goType: "intstr.IntOrString",
    zero: 0,
    openApi: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    read: (value) => typeof value === "string" ? value : readValue(value, whole(2 ** 31).read, "int32"),
  },
  any: {
    goType: "interface {}",
    zero: null,
    openApi: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    read: (value) => value,
  },
} satisfies Readonly<Record<string, Scalar>>;

export type ScalarType = keyof typeof SCALARS;

function plain(type: string, goType: string, zero: unknown): Scalar {
  const read = (value: unknown) => {
    const given = typeof value;
    return given === type ? value : undefined;
  };
  return { goType, zero, omitsZero: true, openApi: { type }, read };
}

/** @param limit of whole numbers: `-limit <= value < limit` */
function whole(limit: number): Pick<Scalar, "zero" | "omitsZero" | "read"> {
  const isInRange = (value: number) => Number.isInteger(value) && value >= -limit && value <= limit - 1;
  return { zero: 0, omitsZero: true, read: (value) => isInRange(value as number) ? value : undefined };
}

function text(read: (text: string) => string): Scalar["read"] {
  return (value) => typeof value === "string" ? read(value) : undefined;
}

/** Of types that read themselves, and know nothing of the field that they are for. */
function onlyText(read: (text: string) => string): Scalar["read"] {
  return (value) => readValue(value, text(read), "string");
}

function readValue(value: unknown, read: Scalar["read"], goType: string): unknown {
  const result = read(value);
  if (result === undefined) {
    throw new TypeMismatch(`json: cannot unmarshal ${jsonTypeOf(value, goType)} into Go value of type ${goType}`);
  }
  return result;
}

/** Returns what Go calls a value of JSON that cannot be of a type. */
export function jsonTypeOf(value: unknown, goType = ""): string {
  if (typeof value === "number" && goType.startsWith("int")) return `number ${value}`;
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

/** Returns what Go says of JSON that is to be an object of any fields, and is none. */
export function notAMap(value: unknown): string {
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`;
}

function readBase64(value: string): string {
  const bare = value.replaceAll(/[\r\n]/g, ""), illegal = bare.search(/[^A-Za-z0-9+/=]|=(?!=?$)/);
  const at = illegal >= 0 ? illegal : bare.length - bare.length % 4;
  if (at !== bare.length) throw new TypeMismatch(`illegal base64 data at input byte ${at}`);
  return value;
}

const TO_SECONDS = "2006-01-02T15:04:05";

function readTime(value: string): string {
  const instant = parseTime(value);
  if (instant === undefined) throw unreadableTime(value, `${TO_SECONDS}Z07:00`, value, "2006");
  return formatTime(instant);
}

function readMicroTime(value: string): string {
  const instant = parseTime(value), layout = `${TO_SECONDS}.000000Z07:00`;
  if (instant === undefined) throw unreadableTime(value, layout, value, "2006");
  // Milliseconds are all that an instant has; the microseconds come from the text.
  const fraction = /\.\d{6}/.exec(value)?.[0];
  if (!fraction) throw unreadableTime(value, layout, value.slice(TO_SECONDS.length), ".000000");
  return formatMicroTime(instant).replace(/\.\d{6}Z$/, `${fraction}Z`);
}

function unreadableTime(...[value, layout, rest, expected]: readonly string[]): TypeMismatch {
  const [shown, shownLayout, shownRest] = [value, layout, rest].map((text) => JSON.stringify(text));
  return new TypeMismatch(`parsing time ${shown} as ${shownLayout}: cannot parse ${shownRest} as "${expected}"`);
}

function readQuantity(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") throw new TypeMismatch(new QuantityError().message);
  try {
    return canonicalQuantity(value);
  } catch (error) {
    throw new TypeMismatch((error as Error).message, { cause: error });
  }
}
