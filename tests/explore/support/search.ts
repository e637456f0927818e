import { digestOf } from "./digest.ts";
import type { Cost, Move } from "./moves.ts";
import { by, type Choices, play } from "./run.ts";
import type { Setting, World } from "./world.ts";

/** How much may go wrong in one run. */
export interface Budget {
  /** All in all. */
  readonly things: number;
  /** Deletions of Jobs by another client, among these. */
  readonly deletions: number;
}

/** A schedule that breaks a promise. */
export interface Found {
  readonly choices: Choices;
  readonly world: World;
}

export interface SearchOptions {
  readonly setting: Setting;
  readonly budget: Budget;
  /** Called with each schedule that breaks a promise, those with the fewest faults first. */
  readonly onFound: (found: Found) => void;
}

/** How much a search has tried. */
export interface Searched {
  /** Different states at choice points. */
  readonly states: number;
  /** Runs, those included that were left in a state that another had been in. */
  readonly schedules: number;
  /** Distinguishes all states, in the order in which they were come to. The same search has the same, on every machine. */
  readonly digest: string;
}

/** A schedule to be tried. */
interface Open {
  readonly choices: Choices;
  readonly left: Budget;
}

/**
 * Tries every schedule that the budget pays for, those with less going wrong first.
 *
 * Each run is played from the start by its choices. From there on nothing goes wrong, and each other way to go on is kept
 * for later. A run is left in a state that another run was in with as much of the budget left: what can follow is the same.
 */
export async function search({ setting, budget, onFound }: SearchOptions): Promise<Searched> {
  const seen = new Map<number, Budget[]>();
  const levels: Open[][] = [[{ choices: [], left: budget }]];
  let schedules = 0;
  let digest = 0;
  for (const level of levels) {
    // More come in at its end.
    for (const { choices, left } of level) {
      const known = by(choices);
      const last = choices.at(-1)?.[0] ?? -1;
      const choose = (world: World, point: number, moves: readonly Move[]) => {
        if (point <= last) return known(world, point, moves);
        const state = world.digest;
        digest = digestOf(`${state}`, digest);
        if (!isNew(seen, state, left)) return undefined;
        for (const [choice, { cost }] of moves.entries()) {
          const after = spend(left, cost);
          if (choice === 0 || !after) continue;
          const to = budget.things - after.things;
          (levels[to] ??= []).push({ choices: [...choices, [point, choice]], left: after });
        }
        return 0;
      };
      const world = await play(setting, choose);
      schedules++;
      if (world.judge.violations.length > 0) onFound({ choices, world });
    }
    level.length = 0;
  }
  return { states: seen.size, schedules, digest: digest.toString(16) };
}

function spend({ things, deletions }: Budget, cost: Cost): Budget | undefined {
  if (cost === "nothing") return { things, deletions };
  const after = { things: things - 1, deletions: deletions - (cost === "deletion" ? 1 : 0) };
  return after.things < 0 || after.deletions < 0 ? undefined : after;
}

/** Notes a state. Returns whether none like it was seen with as much of the budget left. */
function isNew(seen: Map<number, Budget[]>, digest: number, left: Budget): boolean {
  const before = seen.get(digest) ?? [];
  if (before.some(({ things, deletions }) => things >= left.things && deletions >= left.deletions)) return false;
  seen.set(digest, [...before, left]);
  return true;
}
