import { assert, assertEquals } from "@std/assert";
import { benchmarkFiles, BENCHMARKS, readMeasurements } from "../../docs/generate/benchmarks.ts";
import type { Measurement } from "../bench/support/measurement.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

const DOCS = new URL("../", BENCHMARKS);

test("the page of benchmarks and its drawings hold what was measured, and nothing else", async () => {
  const paths = ["benchmarks.md"];
  for await (const { name } of Deno.readDir(BENCHMARKS)) if (name.endsWith(".svg")) paths.push(`benchmarks/${name}`);
  const found = await Promise.all(paths.map(async (path) => [path, await Deno.readTextFile(new URL(path, DOCS))]));
  const written = Object.fromEntries(benchmarkFiles(await readMeasurements()));
  assertEquals(Object.fromEntries(found), written, "Run deno task manifests");
});

const MEASUREMENT: Measurement = {
  subject: "burst",
  date: "2026-01-02",
  machine: { cores: 2, cpu: "a CPU", system: "Linux" },
  apiServer: "the embedded API server",
  source: "a command",
  programs: [{
    name: "cronjob-controller",
    rows: [
      { "CronJobs due": 1_000, "start delay max (s)": [1, 1.5], "start delay max / bare": 1 },
      { "CronJobs due": 50_000, "start delay max (s)": 61, "start delay max / bare": 1.2 },
    ],
  }],
};

test("a measurement is a table with its bounds and a curve, and what was not measured is left out", () => {
  const files = benchmarkFiles(new Map([["mine", MEASUREMENT]]));
  assertEquals([...files.keys()], ["benchmarks/mine-delay.svg", "benchmarks.md"]);
  const page = must(files.get("benchmarks.md"));
  for (
    const text of [
      "| 1,000 | 1-1.5 | 1 |",
      "- start delay max / bare `<= 1.1: missed (1.2)`",
      "- start delay max (s) `<= 60 at 50,000: missed (61)`",
      "2026-01-02",
      "2 cores, a CPU, Linux",
      "![Delay of a start (s)](benchmarks/mine-delay.svg)",
    ]
  ) assert(page.includes(text), text);
  assert(!page.includes("## At rest"));
  assert(!page.includes("CPU until the last start"));
});

test("a drawing has a point for each size, from the least to the most, on axes that begin at zero", () => {
  const svg = must(benchmarkFiles(new Map([["mine", MEASUREMENT]])).get("benchmarks/mine-delay.svg"));
  // The axes reach to 50,000 and 80 s: 454 and 220 units of the drawing.
  assert(svg.includes('d="M65.1 257.3V255.9"'), svg);
  assert(svg.includes('d="M510 92.3V92.3"'), svg);
  assert(svg.includes("prefers-color-scheme: dark"));
});
