import { type Block, blocksOf, pages, readPage } from "./pages.ts";
import { callsIn } from "../../support/shell.ts";

interface Placed extends Block {
  readonly where: string;
}

async function allBlocks(): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const page of await pages()) {
    // The reference has the examples of commands, which are tried where the help is.
    if (page.startsWith("docs/reference/") || page === "CHANGELOG.md") continue;
    for (const block of blocksOf(await readPage(page))) found.push({ ...block, where: `${page}:${block.line}` });
  }
  return found;
}

/** Every block of the documentation. */
export const BLOCKS = await allBlocks();

/** The calls of `sh parse`, each with its place, without what is set for them. */
export const PARSED_CALLS = BLOCKS.filter(({ info }) => info === "sh parse").flatMap(({ text, where }) =>
  callsIn(text).map((words) => ({ where, words: words.slice(words.findIndex((word) => !/^\w+=/.test(word))) }))
);
