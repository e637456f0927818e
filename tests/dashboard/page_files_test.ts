import { assertEquals } from "@std/assert";
import { LIBRARIES, pageLibraries } from "../../deploy/page_libraries.ts";
import { PAGE_FILES } from "../../src/dashboard/page_files.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

const PAGE = new URL("../../src/dashboard/page/", import.meta.url);

async function filesIn(folder: URL, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) found.push(...await filesIn(new URL(`${name}/`, folder), `${prefix}${name}/`));
    else found.push(prefix + name);
  }
  return found;
}

test("every file of the page is part of the program, as it is", async () => {
  const files = await filesIn(PAGE);
  const pathOf = (name: string) => name === "index.html" ? "/" : `/page/${name}`;
  assertEquals(Object.keys(PAGE_FILES).sort(), files.map(pathOf).sort());
  for (const name of files) {
    assertEquals(must(PAGE_FILES[pathOf(name)]).text, await Deno.readTextFile(new URL(name, PAGE)));
  }
});

test("the page's libraries are those of their packages", async () => {
  const found = new Map<string, string>();
  for (const name of await filesIn(LIBRARIES)) found.set(name, await Deno.readTextFile(new URL(name, LIBRARIES)));
  assertEquals(Object.fromEntries(found), Object.fromEntries(await pageLibraries()), "run deno task page");
});

test("the page is at most 80 kB to send", async () => {
  let bytes = 0;
  for (const { text } of Object.values(PAGE_FILES)) {
    const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    bytes += (await new Response(zipped).arrayBuffer()).byteLength;
  }
  assertEquals(bytes <= 80_000, true, `${bytes} bytes`);
});
