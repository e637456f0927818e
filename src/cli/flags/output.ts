import { flag } from "./options.ts";

/** Returns the option that says how a command prints; the first format is the default. */
export function outputOption<const Format extends string>(formats: readonly [Format, ...Format[]]) {
  return flag("-o, --output <format>", "how to print").oneOf(formats).byDefault(formats[0]);
}

/** Returns a value as every command prints it for programs. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
