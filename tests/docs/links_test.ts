import { assert, assertEquals } from "@std/assert";
import { dirname, join, normalize } from "node:path/posix";
import { test } from "../support/test.ts";
import { anchorsOf, exists, linksOf, pages, readPage } from "./support/pages.ts";

/** What is wrong with a link of a page; undefined for nothing, and for other sites. */
async function faultOf(page: string, link: string): Promise<string | undefined> {
  if (/^(https?|mailto):/.test(link)) return undefined;
  const [file, anchor] = link.split("#");
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
      const [file] = link.split("#");
      const target = normalize(join(dirname(page), file));
      if (file.endsWith(".md") && !/^https?:/.test(link)) await visit(target);
    }
  };
  await visit("docs/README.md");
  assertEquals((await pages()).filter((page) => page.startsWith("docs/") && !reached.has(page)), []);
});

test("the README fits on a screen or three", async () => {
  const lines = (await readPage("README.md")).split("\n").length - 1;
  assert(lines <= 150, `${lines} lines`);
});
