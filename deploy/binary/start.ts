// Makes what the task `start` runs: a bundle, which needs no type check and no cache of modules, and the flags of Deno
// that it is run with. A task cannot hand its process over to a program, and a script that waited for it would hold 40 MB:
// so the task itself reads the flags.
//
//   deno run -A deploy/binary/start.ts
//
// The task's MALLOC_… give memory back to the system that threads have used once.
import { bundleInto } from "./bundle.ts";
import { ALWAYS } from "./compile.ts";
import { outputOf, ROOT } from "./support.ts";

const FOLDER = `${ROOT}dist/start`;

/** For a few CronJobs of one user, beside all that Deno itself holds: 7 MB less than without any, for more CPU in a burst. */
const V8_FLAGS = ["--max-semi-space-size=1", "--initial-old-space-size=12", "--no-maglev", ...ALWAYS];

const FLAGS = ["-A", "--no-config", "--unstable-net", "--no-code-cache", `--v8-flags=${V8_FLAGS.join(",")}`];

await Deno.mkdir(FOLDER, { recursive: true });
const fresh = await Deno.makeTempDir({ dir: `${ROOT}dist` });
await bundleInto(fresh);
// What is there stays: a program that runs may still load it.
for await (const { name } of Deno.readDir(fresh)) await Deno.rename(`${fresh}/${name}`, `${FOLDER}/${name}`);
await Deno.remove(fresh);
// Deno keeps 80 MB of what it finds out about modules that it does not know yet.
await outputOf(Deno.execPath(), ["cache", "--quiet", "--no-config", `${FOLDER}/main.js`]);
await Deno.writeTextFile(`${FOLDER}/flags`, `${FLAGS.join(" ")}\n`);
