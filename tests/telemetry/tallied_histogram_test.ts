import { assertEquals } from "@std/assert";
import { Histogram, Registry } from "prom-client";
import { TalliedHistogram } from "../../src/telemetry/tallied_histogram.ts";
import { test } from "../support/test.ts";
import { seriesOf } from "./support/exposition.ts";

test("TalliedHistogram reads as the library's does, bounds and odd labels included", async () => {
  const options = { name: "t_seconds", help: "Time", labelNames: ["verb", "host"], buckets: [0.1, 0.5, 2] };
  const registry = new Registry();
  const library = new Histogram({ ...options, registers: [registry] });
  const ours = new TalliedHistogram(options);
  library.zero({ verb: "GET", host: "idle" });
  ours.zero("GET", "idle");
  for (const value of [0, 0.1, 0.1001, 0.5, 1.75, 2, 2.1, 60]) {
    for (const host of ["a", 'q"uo\\te\n']) {
      library.observe({ verb: "POST", host }, value);
      ours.observe(value, "POST", host);
    }
  }
  assertEquals(seriesOf(ours.write()), seriesOf(await registry.metrics()));
  assertEquals(ours.write().split("\n").slice(0, 2), ["# HELP t_seconds Time", "# TYPE t_seconds histogram"]);
});
