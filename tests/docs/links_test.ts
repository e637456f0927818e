import { assert, assertEquals } from "@std/assert";
import { dirname, join, normalize } from "node:path/posix";
import { test } from "../support/test.ts";
import { anchorsOf, exists, linksOf, pages, readPage } from "./support/pages.ts";

/** What is wrong with a link of a page; undefined for nothing, and for other sites. */
async function faultOf(page: string, link: string): Promise<string | undefined> {
  if (/^(https?|mailto):/.test(link)) return undefined;
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : normalize(join(dirname(page), file));
  if (!await exists(target)) return `${page}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  return (await anchorsOf(target)).has(anchor) ? undefined : `${page}: ${target} has no #${anchor}`;
}

test("a link to a file that is not there, or to a heading that is not, is a fault", async () => {
  assertEquals(await faultOf("docs/README.md", "nowhere.md"), "docs/README.md: there is no docs/nowhere.md");
  assertEquals(await faultOf("docs/README.md", "why.md#nothing"), "docs/README.md: docs/why.md has no #nothing");
  assertEquals(await faultOf("docs/README.md", "why.md#threats"), undefined);
});

test("every link of every page leads to a file and a heading that are there", async () => {
  const faults: (string | undefined)[] = [];
  let count = 0;
  for (const page of await pages()) {
    for (const link of linksOf(await readPage(page))) {
      count++;
      faults.push(await faultOf(page, link));
    }
  }
  assertEquals(faults.filter((fault) => fault !== undefined), []);
  assert(count > 100, `${count} links`);
});

test("every page of docs can be reached from its index", async () => {
  const reached = new Set<string>();
  const visit = async (page: string): Promise<void> => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const link of linksOf(await readPage(page))) {
      const [file = ""] = link.split("#");
      const target = normalize(join(dirname(page), file));
      if (file.endsWith(".md") && !/^https?:/.test(link)) await visit(target);
    }
  };
  await visit("docs/README.md");
  assertEquals((await pages()).filter((page) => page.startsWith("docs/") && !reached.has(page)), []);
});

/** Paths in code with a folder in them, or in a room's README files of the room; names in capitals stand for others. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w-]+\.ts)`/g)].map(([, path = ""]) => path)
    .filter((path) => /\.(ts|md|yaml|json)$|^(src|tests|docs|deploy)\//.test(path) && !/[A-Z]{4}\//.test(path));
}

test("files that architecture, rooms and the house rules name are there", async () => {
  const named = ["docs/architecture.md", "docs/why.md", "CONTRIBUTING.md"];
  const rooms = (await pages()).filter((page) => /^src\/[^/]+\/README.md$/.test(page));
  const missing: string[] = [];
  let count = 0;
  for (const page of [...named, ...rooms]) {
    for (const path of pathsIn(await readPage(page))) {
      // Of no one room: `access.ts` stands beside the code of several.
      if (named.includes(page) && !path.includes("/")) continue;
      count++;
      const places = [path, join(dirname(page), path), `src/${path}`];
      const isThere = await Promise.all(places.map(exists));
      if (!isThere.includes(true)) missing.push(`${page}: ${path}`);
    }
  }
  assertEquals(missing, []);
  assert(count > 100, `${count} paths`);
});

test("the README fits on a screen or three", async () => {
  const lines = (await readPage("README.md")).split("\n").length - 1;
  assert(lines <= 150, `${lines} lines`);
});
