import { refusal } from "../../runtime/support/fake_api.ts";
import type { Message } from "./process_client.ts";
import type { Held, World } from "./world.ts";

/** How a choice is paid for. */
export type Cost = "nothing" | "fault" | "deletion";

/** One way to go on. */
export interface Move {
  readonly label: string;
  readonly cost: Cost;
  perform(): Promise<void>;
}

/** Returns the ways to go on from here. The first is that nothing goes wrong. */
export function movesOf(world: World): Move[] {
  const message = world.pending[0];
  if (!message) return [];
  const what = `${message.process}: ${message.label}`;
  const move = (how: string, cost: Cost, act: () => Promise<void> | void): Move => ({
    label: `${what}: ${how}`,
    cost,
    perform: async () => {
      world.take(message);
      await act();
    },
  });
  return [
    move("answered", "nothing", () => carry(world, message)),
    ...faultsOf(world, message, move),
    ...world.held.filter((held) => canMatter(held.message, message)).map((held): Move => ({
      label: `${held.message.process}: ${held.message.label}: arrives late`,
      cost: "nothing",
      perform: () => carryHeld(world, held),
    })),
    ...world.api.jobs().filter(({ metadata }) => metadata.deletionTimestamp === undefined).map((job): Move => ({
      label: `another client deletes Job ${job.metadata.name}`,
      cost: "deletion",
      perform: () => Promise.resolve(world.deleteJob(job)),
    })),
  ];
}

function faultsOf(
  world: World,
  message: Message,
  move: (how: string, cost: Cost, act: () => Promise<void> | void) => Move,
): Move[] {
  const { process } = message;
  const late = move("held up", "fault", () => world.hold(message));
  const lostBefore = move("lost before it has an effect", "fault", () => world.lose(message));
  const killed = move(`${process} is killed before`, "fault", () => world.kill(process));
  switch (message.kind) {
    case "event":
      return [
        late,
        move("missed: the watch expires", "fault", () => {
          world.answer(message, { error: refusal(410, "Expired", "too old resource version") });
        }),
      ];
    case "read":
      return [lostBefore, killed];
    case "write":
      return [
        lostBefore,
        late,
        move("abandoned by its client, and still on its way", "fault", () => {
          world.hold(message);
          world.lose(message);
        }),
        killed,
        move(`${process} is killed while it is on its way`, "fault", () => {
          world.hold(message);
          world.kill(process);
        }),
      ];
  }
}

/** Returns whether it makes a difference which of the two comes first, the one that was held up or the other. */
function canMatter(held: Message, next: Message): boolean {
  return held.process === next.process || (held.kind !== "event" && held.plural === next.plural);
}

/** Lets a message take effect, and answers it. */
export async function carry(world: World, message: Message, lateMs?: number): Promise<void> {
  world.answer(message, await world.send(message, lateMs));
}

/** The same for one that was held up. */
export async function carryHeld(world: World, { message, heldAt }: Held): Promise<void> {
  world.take(message);
  await carry(world, message, world.time.now - heldAt);
}
