// How well the controller starts many CronJobs that are due at the same minute, beside what the API server takes for as many
// Jobs that nothing but `fetch` creates; and what it costs while nothing is due. The API server and the controller are
// processes of their own; nothing runs the Jobs, and this process only looks on.
//
//   [CJC_TEST_BINARY=FILE] deno task bench:cronjob [--n 1000,2000,5000,10000] [--rounds 1] [--namespaces 1]
//     [--half JSON, for every other CronJob's spec] [--flags "--concurrent-syncs 10"] [--idle 5000]
import { parseArgs } from "node:util";
import { must } from "../support/expected.ts";
import { type Burst, measureBurst } from "./support/cronjob_burst.ts";
import { measureIdleMinute } from "./support/cronjob_idle.ts";

/** What is wanted: said, never asserted. */
const TARGETS = { growthExponent: 1.1, ratioToBare: 1.15, idleCpuSeconds: 0.05 };
const GROWING = ["start delay max (s)", "CPU until the last start (s)", "CPU of the minute (s)"] as const;

const { values: options } = parseArgs({
  options: {
    n: { type: "string", default: "1000,2000,5000,10000" },
    rounds: { type: "string", default: "1" },
    namespaces: { type: "string", default: "1" },
    /** Such as `{"concurrencyPolicy":"Forbid"}`. */
    half: { type: "string", default: "{}" },
    /** Further flags of the controller. */
    flags: { type: "string", default: "" },
    /** How many CronJobs rest; 0 leaves that out. */
    idle: { type: "string", default: "5000" },
  },
});
const counts = options.n.split(",").map(Number).filter((count) => count > 0);
const namespaces = Number(options.namespaces);
const half: object = JSON.parse(options.half);
const controllerFlags = options.flags.split(" ").filter((flag) => flag !== "");

const bursts: Burst[] = [];
for (const count of counts) {
  const rounds: Burst[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const burst = await measureBurst({ count, namespaces, half, controllerFlags });
    rounds.push(burst);
    if (Number(options.rounds) > 1) console.log(`${count} due, round ${round}: ${JSON.stringify(rounded(burst))}`);
  }
  bursts.push(medianOf(rounds));
}
printBursts(bursts);
if (Number(options.idle) > 0) await printIdleMinute(Number(options.idle));

/** A column for each number of CronJobs, and one for how what they cost grows with it. */
function printBursts(bursts: readonly Burst[]): void {
  if (bursts.length === 0) return;
  const columns = bursts.map(rounded);
  const table = Object.fromEntries(
    Object.keys(must(columns[0])).map((name) => {
      const row = Object.fromEntries(columns.map((column) => [`${column["CronJobs due"]} due`, column[name]]));
      const grows = bursts.length > 1 && GROWING.some((growing) => growing === name);
      return [name, grows ? { ...row, "grows as n^": round(growthExponent(bursts, name)) } : row];
    }),
  );
  console.table(table);
  const { ratioToBare, growthExponent: exponent } = TARGETS;
  console.log(`Wanted: the longest start delay <= ${ratioToBare} * the longest bare creation; growth <= n^${exponent}`);
}

async function printIdleMinute(count: number): Promise<void> {
  const { cpuSeconds, residentMiB, requests } = await measureIdleMinute(count, controllerFlags);
  const asked = Object.entries(requests).map(([request, times]) => `${times} * ${request}`).join(", ") || "none";
  console.log(
    `A minute with ${count} yearly CronJobs: ${round(cpuSeconds)} s of CPU, ${round(residentMiB)} MiB, ` +
      `requests: ${asked}. Wanted: <= ${TARGETS.idleCpuSeconds} s; the Lease and at most two probes`,
  );
}

function medianOf(rounds: readonly Burst[]): Burst {
  const median = (values: number[]) => must(values.sort((a, b) => a - b)[Math.floor(values.length / 2)]);
  return Object.fromEntries(
    Object.keys(must(rounds[0])).map((name) => [name, median(rounds.map((burst) => must(burst[name])))]),
  );
}

/** The slope of the straight line through the points on log-log paper that has the least squares. */
function growthExponent(bursts: readonly Burst[], name: string): number {
  const points = bursts.map((burst) => ({ x: Math.log(must(burst["CronJobs due"])), y: Math.log(must(burst[name])) }));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x0 = mean(points.map(({ x }) => x));
  const y0 = mean(points.map(({ y }) => y));
  return mean(points.map(({ x, y }) => (x - x0) * (y - y0))) / mean(points.map(({ x }) => (x - x0) ** 2));
}

function rounded(burst: Burst): Burst {
  return Object.fromEntries(Object.entries(burst).map(([name, value]) => [name, round(value)]));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
