import { assert, assertEquals } from "@std/assert";
import { atLeast } from "../support/expected.ts";
import { slope } from "../bench/support/statistics.ts";
import { test } from "../support/test.ts";
import type { SoakOptions } from "./support/soak.ts";

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

for (const [season, options] of Object.entries(SEASONS)) {
  test(`A thousand CronJobs of every sort run what they must for weeks of ${season}, in no more memory every day`, async () => {
    const { slots, heapBytes } = await soakedInAProcess({ ...options, cronJobs: 1_000 });
    console.log({ season, slots, heapMiB: heapBytes.map((bytes) => Math.round(bytes / 104_857.6) / 10) });
    assert(slots > 30_000, `Only ${slots} runs were due`);
    // By then what is kept of each CronJob, its last runs, is complete for nearly all.
    const settled = heapBytes.slice(Math.floor(heapBytes.length / 2));
    const bytesARun = slope(settled.map((y, x) => ({ x, y }))) * heapBytes.length / slots;
    assert(bytesARun < MAX_BYTES_A_RUN, `Each run leaves ${bytesARun} bytes behind: ${heapBytes}`);
  });
}

async function soakedInAProcess(options: SoakOptions): Promise<{ slots: number; heapBytes: number[] }> {
  const script = new URL("./support/soak_process.ts", import.meta.url).pathname;
  const args = ["run", "-A", "--no-check", "--v8-flags=--expose-gc", script, JSON.stringify(options)];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const [out, err] = atLeast(2, [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)));
  assertEquals(code, 0, err);
  return JSON.parse(out);
}
