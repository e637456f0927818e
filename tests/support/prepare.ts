/**
 * Makes what `deno task test` runs, in `dist/test`:
 * - the program as the tests start it: the bundle starts in half the time of `main.ts`. Deno fetches its bundler for it,
 *   which tests that bundle at the same time would otherwise run half written.
 * - modules that import several test files each, in `gathered`: Deno gives each module of tests an engine of its own, which
 *   loads anew all that the module imports. With one for each test file that was a fifth of the CPU of all tests.
 */
import { bundleInto } from "../../deploy/binary/bundle.ts";
import { emptyFolder, ROOT } from "../../deploy/binary/support.ts";
import { filesBelow } from "./files_below.ts";

const FOLDER = `${ROOT}dist/test`;

/** Tests of these rooms wait for processes: each file has a module of its own. */
const WAITING = ["conformance", "run_archive", "e2e", "chaos"];

/** Modules that wait most begin first: at the end, no core rests while the last ones wait. */
const FIRST = [...WAITING, "kubelet", "cronjob", "manifests"];

/** With more, one engine would still be at work when the others have ended. */
const FILES_A_MODULE = 12;

async function gather(): Promise<void> {
  await Deno.mkdir(`${FOLDER}/gathered`);
  const files = (await Array.fromAsync(filesBelow(`${ROOT}tests`))).filter((path) => /_test\.tsx?$/.test(path)).sort();
  for (const [room, ofRoom] of Map.groupBy(files, (file) => file.slice(`${ROOT}tests/`.length).split("/")[0]!)) {
    const size = WAITING.includes(room) ? 1 : FILES_A_MODULE;
    // Deno takes modules by their names.
    const turn = FIRST.includes(room) ? FIRST.indexOf(room) : FIRST.length;
    for (let start = 0; start < ofRoom.length; start += size) {
      const imports = ofRoom.slice(start, start + size).map((file) => `import "${file}";\n`);
      const name = `${turn}_${room}_${start / size}_test.ts`;
      await Deno.writeTextFile(`${FOLDER}/gathered/${name}`, imports.join(""));
    }
  }
}

await emptyFolder(FOLDER);
await bundleInto(FOLDER);
await gather();
