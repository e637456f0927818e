import { assert, assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { pages, readPage } from "../docs/support/pages.ts";
import { wordsIn } from "./words.ts";

/** What people read beside pages and code, which the linter looks through. */
const CHART = "deploy/helm/cronjob-controller";
const TEXTS = [
  "docs/schemas",
  "deploy/argocd",
  "deploy/monitoring",
  "deploy/samples",
  "deploy/base",
  CHART,
  `${CHART}/templates`,
];
const ROOT = new URL("../../", import.meta.url);

async function texts(): Promise<string[]> {
  const found = await pages();
  for (const folder of TEXTS) {
    for await (const { name, isFile } of Deno.readDir(new URL(folder, ROOT))) {
      if (isFile && /\.(?:json|ya?ml|tpl|txt)$/.test(name)) found.push(`${folder}/${name}`);
    }
  }
  return found;
}

test("the words that a native engineer would not write are found, but where they are names", () => {
  const found = wordsIn(
    "Somebody told us: he gives up. This flag tells the controller to suspend subsequent executions",
  );
  assertEquals(found.map(({ word }) => word).sort(), ["Somebody", "gives up", "told"]);
  assertEquals(wordsIn("nobody:x:65534, a teller, someone's, phone's"), []);
});

test("pages, schemas and manifests are written in words that a native engineer would write", async () => {
  const paths = await texts();
  assert(paths.length > 50, `${paths.length} texts`);
  const wrong: string[] = [];
  for (const path of paths) {
    const text = await readPage(path);
    for (const { word, instead, at } of wordsIn(text)) {
      wrong.push(`${path}:${text.slice(0, at).split("\n").length}: ${word}: write ${instead}`);
    }
  }
  assertEquals(wrong, []);
});
