import type { Option } from "commander";
import { SWITCH } from "../flags/options.ts";

/** Returns an option as people type it: a switch needs no value. */
export function optionTerm({ flags }: Option): string {
  return flags.replace(` ${SWITCH}`, "");
}

/** Returns what holds without the option, unless that is nothing, or its description says so. */
export function shownDefault({ defaultValue, defaultValueDescription, description }: Option): string | undefined {
  if (defaultValue === undefined || defaultValue === false || description.includes("(default")) return undefined;
  const text = defaultValueDescription ?? String(defaultValue);
  return text === "none" ? undefined : text;
}
