import { filesBelow } from "./files_below.ts";

const SAMPLES = new URL("../../deploy/samples", import.meta.url).pathname;

/** The files in `deploy/samples` and its folders, by their paths there. */
export async function* sampleFiles(): AsyncGenerator<{ path: string; text: string }> {
  for await (const path of filesBelow(SAMPLES)) {
    yield { path: path.slice(SAMPLES.length + 1), text: await Deno.readTextFile(path) };
  }
}
