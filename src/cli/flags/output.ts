import { Option } from "commander";

/** Returns the option that says how a command prints; the first format is the default. */
export function outputOption(formats: readonly string[]): Option {
  return new Option("-o, --output <format>", "how to print").choices(formats).default(formats[0]);
}

/** Returns a value as every command prints it for programs. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
