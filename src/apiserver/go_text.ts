import { isObject } from "./is_object.ts";

// How Go shows JSON values in messages.

/** As `%v`: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  return `map[${Object.keys(value).sort().map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
}

/** As `%#v`: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}

/** As `%q`: control characters are escaped, too. */
export function goQuoted(text: string): string {
  return `"${text.replaceAll(/["\\\p{Cc}]/gu, (char) => char === '"' ? '\\"' : goEscaped(char))}"`;
}

const NAMED = new Map(
  ["\x07a", "\bb", "\ff", "\nn", "\rr", "\tt", "\vv", "\\\\", "''"].map(([one, name]) => [one, `\\${name}`]),
);

/** As one character stands between single quotes of `%q`. */
export function goEscaped(character: string): string {
  if (!/[\p{Cc}\xa0\xad]/u.test(character)) return NAMED.get(character) ?? character;
  const code = character.charCodeAt(0).toString(16);
  return NAMED.get(character) ?? (character > "\x7f" ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`);
}

/** As `%T`. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : value === null ? "<nil>" : typeof value;
}
