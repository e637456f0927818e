import { carry, carryHeld, type Move, movesOf } from "./moves.ts";
import { type Setting, World } from "./world.ts";

/** The choices of a run that are not the first one: at which choice point, and which. */
export type Choices = readonly (readonly [point: number, choice: number])[];

/** What a search does at a choice point that it has no choice for. Returns false to leave the run. */
export type OnPoint = (world: World, point: number, moves: readonly Move[]) => boolean;

/** A run that was left, or is over. */
export interface Outcome {
  readonly world: World;
  readonly isOver: boolean;
}

/** Lets a world run by these choices, and by the first one wherever there is none. */
export async function play(setting: Setting, choices: Choices, onPoint: OnPoint = () => true): Promise<Outcome> {
  const world = new World(setting);
  const chosen = new Map(choices);
  const last = choices.at(-1)?.[0] ?? -1;
  let wasInWindow = false;
  for (let point = 0;;) {
    await world.settle();
    if (world.violations.length > 0) return { world, isOver: true };
    if (world.pending.length === 0) {
      if (world.isInWindow || world.held.length === 0) {
        if (!world.pass()) break;
        continue;
      }
    }
    if (!world.isInWindow) {
      if (wasInWindow) {
        wasInWindow = false;
        if (point > last && !onPoint(world, point, [])) return { world, isOver: false };
      }
      const [message] = world.pending;
      if (message) {
        world.take(message);
        await carry(world, message);
      } else await carryHeld(world, world.held[0]!);
      continue;
    }
    wasInWindow = true;
    const moves = movesOf(world);
    if (point > last && !onPoint(world, point, moves)) return { world, isOver: false };
    const move = moves[chosen.get(point) ?? 0]!;
    world.note(move.label);
    await move.perform();
    point++;
  }
  world.checkEnd();
  return { world, isOver: true };
}
