// Soaks once, as a process of its own that may collect garbage at will, and prints in JSON what came of it:
// deno run -A --no-check --v8-flags=--expose-gc tests/chaos/support/soak_process.ts '{"cronJobs":1000,…}'
import { must } from "../../support/expected.ts";
import { soak, type SoakOptions } from "./soak.ts";

const collectGarbage = (globalThis as { gc?: () => void }).gc;
if (!collectGarbage) throw new Error("Cannot measure memory: start with --v8-flags=--expose-gc");

const options: SoakOptions = JSON.parse(must(Deno.args[0]));
/** After each day, garbage collected. */
const heapBytes: number[] = [];
const slots = await soak({
  ...options,
  onDay() {
    collectGarbage();
    heapBytes.push(Deno.memoryUsage().heapUsed);
  },
});
console.log(JSON.stringify({ slots, heapBytes }));
