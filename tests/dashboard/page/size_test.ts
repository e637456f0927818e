import { assert } from "@std/assert";
import { PAGE_FILES } from "../../../src/dashboard/page_files.ts";
import { test } from "../../support/test.ts";

const MOST_BYTES = 80_000;

test("the whole page is at most 80 kB, compressed file by file", async () => {
  const sizes = await Promise.all(Object.values(PAGE_FILES).map(({ text }) => compressed(text)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert(total <= MOST_BYTES, `It is ${total} bytes`);
});

async function compressed(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}
