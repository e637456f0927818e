import type { Mistyped } from "../apiserver/dry_run.ts";
import { shown } from "./finding.ts";

/** Returns what is wrong with a value of another type than its field's, and what to write in its place. */
export function typeMessage({ type, value }: Mistyped): string {
  return `cannot be ${shown(value)}: ${DEMANDS[type](value)}`;
}

/** Demands on a value that is not of its field's type. */
const DEMANDS: Readonly<Record<Mistyped["type"], (value: unknown) => string>> = {
  object: () => "must be a mapping of fields",
  map: () => "must be a mapping",
  list: () => "must be a list",
  bool: () => "must be true or false, without quotes",
  double: () => "must be a number",
  int32: (value) => integerDemand(value, 2 ** 31),
  int64: (value) => integerDemand(value, 2 ** 63),
  intOrString: () => "must be a whole number or a text",
  quantity: () => "must be a quantity such as 500m, 2 or 128Mi",
  string: (value) =>
    typeof value === "object" ? "must be a text" : `must be a text: write ${JSON.stringify(String(value))}`,
  time: textDemand("a time such as 2026-01-02T03:04:05Z"),
  microtime: textDemand("a time such as 2026-01-02T03:04:05.000000Z"),
  bytes: textDemand("base64"),
  any: () => "",
};

function integerDemand(value: unknown, limit: number): string {
  if (typeof value === "string" && /^\d+$/.test(value)) return "must be a number, without quotes";
  return Number.isInteger(value) ? `must be from -${limit} to ${limit - 1}` : "must be a whole number";
}

function textDemand(form: string): (value: unknown) => string {
  return (value) => typeof value === "string" ? `must be ${form}` : DEMANDS.string(value);
}
