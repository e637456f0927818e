import { assertEquals } from "@std/assert";
import { loadPage } from "../../src/dashboard/page_files.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

test("the page is one style sheet and one script, which the document names, at most 110 kB to send", async () => {
  const files = await loadPage();
  const document = must(files["/"]).text;
  const named = [...document.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path]) => path);
  assertEquals(named, ["/page.css", "/page.js"]);
  assertEquals(Object.keys(files), ["/", ...named]);
  let bytes = 0;
  for (const { text } of Object.values(files)) {
    const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    bytes += (await new Response(zipped).arrayBuffer()).byteLength;
  }
  assertEquals(bytes > 10_000 && bytes <= 110_000, true, `${bytes} bytes`);
});
