import { carry, carryHeld, type Move, movesOf } from "./moves.ts";
import type { Message } from "./process_client.ts";
import { must } from "../../support/expected.ts";
import { type Setting, World } from "./world.ts";

/** The choices of a run that are not the first one: at which choice point, and which. */
export type Choices = readonly (readonly [point: number, choice: number])[];

/**
 * Asked at each choice point, and once more, without moves, when nothing can go wrong any more. Returns which move is
 * made; undefined to leave the run.
 */
export type Choose = (world: World, point: number, moves: readonly Move[]) => number | undefined;

/** Lets a world run until its end, until a promise is broken, or until the run is left. */
export async function play(setting: Setting, choose: Choose): Promise<World> {
  const world = new World(setting);
  let point = 0;
  for (; await arrives(world, true); point++) {
    const moves = movesOf(world);
    const choice = choose(world, point, moves);
    if (choice === undefined) return world;
    const move = must(moves[choice]);
    world.note(move.label);
    await move.perform();
  }
  if (world.judge.violations.length > 0 || choose(world, point, []) === undefined) return world;
  await arrives(world, false);
  if (world.judge.violations.length === 0) world.end();
  return world;
}

/** Returns a chooser that makes these choices, and the first one elsewhere. */
export function by(choices: Choices): Choose {
  const chosen = new Map(choices);
  return (_world, point) => chosen.get(point) ?? 0;
}

/** Returns a chooser that makes each of these moves as soon as it can be made, one after the other. */
export function byMoves(labels: readonly string[]): Choose {
  const left = [...labels];
  return (_world, _point, moves) => {
    const choice = moves.findIndex(({ label }) => label === left[0]);
    if (choice >= 0) left.shift();
    return Math.max(0, choice);
  };
}

/**
 * Lets happen what needs no choice. Returns whether there is something to choose; else a promise is broken, or the window
 * in which something may go wrong is over, or, after it, the run.
 */
async function arrives(world: World, isInWindow: boolean): Promise<boolean> {
  for (;;) {
    await world.settle();
    if (world.judge.violations.length > 0 || (isInWindow && world.isPastWindow)) return false;
    const [message] = world.pending;
    const [held] = world.held;
    if (message && world.isInWindow) return true;
    if (message) await carryPending(world, message);
    else if (held && world.isPastWindow) await carryHeld(world, held);
    else if (!world.pass()) return false;
  }
}

async function carryPending(world: World, message: Message): Promise<void> {
  world.take(message);
  if (world.isPastWindow) world.note(`${message.process}: ${message.label}: answered`);
  await carry(world, message);
}
