import type { Option } from "commander";
import { isOffByDefault, SWITCH } from "../options.ts";

/** Returns an option as one types it: a switch that is off needs no value. */
export function optionTerm(option: Option): string {
  return isOffByDefault(option) ? option.flags.replace(` ${SWITCH}`, "") : option.flags;
}

/** Returns what holds without the option, unless that is nothing, or its description says so. */
export function shownDefault({ defaultValue, defaultValueDescription, description }: Option): string | undefined {
  if (defaultValue === undefined || defaultValue === false || description.includes("(default")) return undefined;
  const text = defaultValueDescription ?? String(defaultValue);
  return text === "none" ? undefined : text;
}
