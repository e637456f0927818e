import type { ByOption } from "../shared/by_option.ts";
import type { GrammarName } from "./asked_schedule.ts";

/** What the command line of `next` says. */
export interface NextFlags extends ByOption {
  readonly timeZone?: string;
  readonly count: number;
  readonly from?: string;
  readonly name?: string;
  readonly filename?: string;
  readonly batch?: boolean;
  readonly grammar: GrammarName;
  readonly output: "table" | "json";
}

/** The most runs that one answer may hold. */
export const MOST_RUNS = 10_000;
