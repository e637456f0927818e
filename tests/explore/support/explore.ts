import type { Choices } from "./run.ts";
import { type Budget, search, type Searched } from "./search.ts";
import type { Hole } from "./judge.ts";
import type { Setting } from "./world.ts";

/** A broken promise, by the shortest schedule that breaks it so. */
export interface Broken {
  readonly what: string;
  /** The hole that `docs/why.md` states; undefined for a fault of the program. */
  readonly hole: Hole | undefined;
  readonly choices: Choices;
  readonly trace: readonly string[];
  /** How many schedules break it. */
  count: number;
}

/** The result of exploring one setting. */
export interface Explored extends Searched {
  /** By hole, or by what is wrong. */
  readonly broken: readonly Broken[];
}

const NEVER_TWICE = {
  policy: "Allow",
  skewMs: 0,
  jobMs: 6_000,
  slots: 1,
  spec: { neverTwice: true },
} as const;

/** The settings that are explored. */
export const SETTINGS = {
  "Allow": { controllers: 2, policy: "Allow", skewMs: 0, jobMs: 6_000, slots: 2 },
  "Forbid": { controllers: 2, policy: "Forbid", skewMs: 0, jobMs: 24_000, slots: 2 },
  "Allow, the second clock 3 s ahead": { controllers: 2, policy: "Allow", skewMs: 3_000, jobMs: 6_000, slots: 1 },
  "Forbid, the second clock 3 s behind": { controllers: 2, policy: "Forbid", skewMs: -3_000, jobMs: 24_000, slots: 1 },
  "Allow, one controller": { controllers: 1, policy: "Allow", skewMs: 0, jobMs: 6_000, slots: 1 },
  "Allow, one controller, neverTwice": { controllers: 1, ...NEVER_TWICE },
  "Allow, neverTwice": { controllers: 2, ...NEVER_TWICE },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** Explores a setting within a budget. */
export async function explore(setting: Setting, budget: Budget): Promise<Explored> {
  const broken = new Map<string, Broken>();
  using _fixed = fixedChance();
  const searched = await search({
    setting,
    budget,
    onFound: ({ choices, world: { judge: { violations }, trace } }) => {
      for (const { what, hole } of violations) {
        const key = hole ?? what;
        const known = broken.get(key);
        const count = (known?.count ?? 0) + 1;
        const isShorter = !known || (choices.length <= known.choices.length && trace.length < known.trace.length);
        broken.set(key, isShorter ? { what, hole, choices, trace: [...trace], count } : { ...known, count });
      }
    },
  });
  return { ...searched, broken: [...broken.values()] };
}

/**
 * Takes chance away until it is disposed of: the same choices make the same run. Errors get no stacks, which would cost a
 * tenth of the time.
 */
export function fixedChance(): Disposable {
  const { random } = Math;
  const { stackTraceLimit } = Error;
  Math.random = () => 0.5;
  Error.stackTraceLimit = 0;
  return {
    [Symbol.dispose]: () => {
      Math.random = random;
      Error.stackTraceLimit = stackTraceLimit;
    },
  };
}
