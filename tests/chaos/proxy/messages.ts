import type { Kill } from "./fault_proxy.ts";
import type { FaultRule } from "./rules.ts";

/** What is sent to a proxy. */
export type Command =
  | { readonly rules: readonly FaultRule[]; readonly seed: number }
  | { readonly forget: true }
  | { readonly kill: Kill };

/** What a proxy sends. */
export type Report =
  | { readonly port: number }
  /** How many requests came in the second before, by what they asked for: `create jobs namespace/name`. */
  | { readonly asked: Readonly<Record<string, number>>; readonly at: number }
  /** `namespace/name`, when its creation was asked for. */
  | { readonly job: string; readonly at: number };
