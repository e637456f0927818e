import { assertRejects } from "@std/assert";
import { wordsIn } from "../../support/shell.ts";

/** What is typed after the name of a command, and how the sentence begins that is said of it. */
export type Refused = readonly [line: string, message: string];

/** Asks for each in a step of its own, as they share a cluster. */
export async function askForRefused(
  context: Deno.TestContext,
  refused: readonly Refused[],
  ask: (...args: string[]) => Promise<unknown>,
): Promise<void> {
  for (const [line, message] of refused) {
    await context.step(line, async () => void await assertRejects(() => ask(...wordsIn(line)), Error, message));
  }
}
