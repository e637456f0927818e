// Whether the real helm takes the commands of the documentation: `deno task test:chart` (needs helm on PATH).
import { assert, assertEquals } from "@std/assert";
import { PARSED_CALLS } from "../../docs/support/blocks.ts";
import { cobraComplaint } from "../../docs/support/cobra.ts";
import { test } from "../../support/test.ts";

test("a flag that helm does not have is found", async () => {
  assertEquals(await cobraComplaint("helm", ["upgrade", "--instal", "it"]), "error: unknown flag: --instal");
});

test("commands of helm in blocks are taken by its own parser", async () => {
  const calls = PARSED_CALLS.filter(({ words: [program] }) => program === "helm");
  assert(calls.length > 1, `${calls.length} commands`);
  for (const { where, words: [, ...words] } of calls) {
    assertEquals(await cobraComplaint("helm", words), undefined, `${where}: ${words.join(" ")}`);
  }
});
