// How well the controller starts many CronJobs that are due at the same minute, beside what the API server takes for as many
// Jobs that nothing but `fetch` creates. The API server and the controller are processes of their own, each on a core where
// there are two; nothing runs the Jobs, and this process only looks on.
//
//   [CJC_TEST_BINARY=FILE] deno task bench:cronjob [--n 1000,2000,5000,10000] [--rounds 1] [--namespaces 1] [--json FILE]
//     [--half JSON, for every other CronJob's spec] [--flags "--concurrent-syncs 10"]
import { parseArgs } from "node:util";
import { measureBurst } from "./support/cronjob_burst.ts";
import { medians, report, rounded } from "./support/report.ts";

const { values: options } = parseArgs({
  options: {
    n: { type: "string", default: "1000,2000,5000,10000" },
    rounds: { type: "string", default: "1" },
    namespaces: { type: "string", default: "1" },
    /** Such as `{"concurrencyPolicy":"Forbid"}`. */
    half: { type: "string", default: "{}" },
    /** Further flags of the controller. */
    flags: { type: "string", default: "" },
    /** Where the medians are written as JSON, after each size. */
    json: { type: "string" },
  },
});
const burst = {
  namespaces: Number(options.namespaces),
  half: JSON.parse(options.half),
  controllerFlags: options.flags.split(" ").filter((flag) => flag !== ""),
};

const rows: Record<string, number>[] = [];
for (const count of options.n.split(",").map(Number)) {
  const rounds: Record<string, number>[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    rounds.push(rounded(await measureBurst({ ...burst, count })));
    console.log(`${count} due, round ${round}: ${JSON.stringify(rounds.at(-1))}`);
  }
  rows.push(medians(rounds));
  await report("burst", rows, options.json);
}
