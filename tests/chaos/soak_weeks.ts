import { assert, fail } from "@std/assert";
import { slope } from "../bench/support/statistics.ts";
import { test } from "../support/test.ts";
import { soak, type SoakOptions } from "./support/soak.ts";

/** Both change their clocks within each of these: Europe/Berlin and America/New_York. */
const SEASONS: Record<string, Omit<SoakOptions, "cronJobs">> = {
  autumn: {
    from: "2026-10-24T00:00:00Z",
    to: "2026-11-03T12:00:00Z",
    downtimes: [
      { from: "2026-10-25T00:10:30Z", to: "2026-10-25T02:20:30Z" },
      { from: "2026-11-01T05:40:30Z", to: "2026-11-01T06:50:30Z" },
    ],
  },
  spring: {
    from: "2027-03-13T00:00:00Z",
    to: "2027-03-29T12:00:00Z",
    downtimes: [
      { from: "2027-03-14T05:40:30Z", to: "2027-03-14T07:50:30Z" },
      { from: "2027-03-20T10:00:30Z", to: "2027-03-20T14:10:30Z" },
    ],
  },
};

/** More of the heap that a day leaves behind is a leak: a run that is remembered for ever costs some hundred bytes. */
const MAX_BYTES_A_RUN = 50;

const { gc: collectGarbage = fail("Cannot measure memory: start with --v8-flags=--expose-gc") } = globalThis as {
  gc?: () => void;
};

for (const [season, options] of Object.entries(SEASONS)) {
  test(`A thousand CronJobs of every sort run what they must for weeks of ${season}, in no more memory every day`, async () => {
    /** After each day, garbage collected. */
    const heapBytes: number[] = [];
    const slots = await soak({
      ...options,
      cronJobs: 1_000,
      onDay() {
        collectGarbage();
        heapBytes.push(Deno.memoryUsage().heapUsed);
      },
    });
    console.log({ season, slots, heapMiB: heapBytes.map((bytes) => Math.round(bytes / 104_857.6) / 10) });
    assert(slots > 30_000, `Only ${slots} runs were due`);
    // By then what is kept of each CronJob, its last runs, is complete for nearly all.
    const settled = heapBytes.slice(Math.floor(heapBytes.length / 2));
    const bytesARun = slope(settled.map((y, x) => ({ x, y }))) * heapBytes.length / slots;
    assert(bytesARun < MAX_BYTES_A_RUN, `Each run leaves ${bytesARun} bytes behind: ${heapBytes}`);
  });
}
