// What the dashboard costs, and how soon it shows what: `deno task bench:dashboard [--cronjobs 5000] [--pairs 5]
// [--json FILE]`.
//
// First the page in a real browser (Debian's chromium), over 5,000 CronJobs with four Jobs each: five of them open. Then a
// controller with five pages open beside one without, in turn, while 1,000 runs are due at one minute. `--cronjobs 0` leaves the
// first out, `--pairs 0` the second. CJC_TEST_BINARY names the executable to measure.

import { parseArgs } from "node:util";
import { must } from "../support/expected.ts";
import { measureBurst } from "./support/cronjob_burst.ts";
import { measurePages } from "./support/dashboard_pages.ts";
import { holdStreams } from "./support/dashboard_streams.ts";
import { report, rounded } from "./support/report.ts";
import { median } from "./support/statistics.ts";

const { values } = parseArgs({
  options: {
    cronjobs: { type: "string", default: "5000" },
    pairs: { type: "string", default: "5" },
    json: { type: "string" },
  },
});

const cronJobs = Number(values.cronjobs);
if (cronJobs > 0) await report("page", [rounded(await measurePages({ cronJobs, pages: 5 }))], values.json);

const PORT = 16445;
const burst = { count: 1_000, namespaces: 10, half: {} };
const without: number[] = [];
const beside: number[] = [];
for (let pair = 0; pair < Number(values.pairs); pair++) {
  const plain = await measureBurst({ ...burst, controllerFlags: [] });
  const watched = await measureBurst({
    ...burst,
    controllerFlags: ["--dashboard-bind-address", `127.0.0.1:${PORT}`],
    beside: ({ connection }) => holdStreams(PORT, connection, 5),
  });
  without.push(must(plain["CPU until the last start (s)"]));
  beside.push(must(watched["CPU until the last start (s)"]));
  console.table([plain, watched].map((row) => ({
    "started": row["started"],
    "start delay max (s)": row["start delay max (s)"],
    "CPU until the last start (s)": row["CPU until the last start (s)"],
    "CPU of the minute (s)": row["CPU of the minute (s)"],
    "memory before (MB)": row["memory before (MB)"],
    "memory peak (MB)": row["memory peak (MB)"],
  })));
}
if (without.length > 0) {
  const [a, b] = [median(without), median(beside)];
  const more = ((b / a - 1) * 100).toFixed(1);
  console.log(`CPU until the last start, median: ${a} s without pages, ${b} s with five: ${more} % more`);
}
