// Whether the controller's heap grows: CronJobs that are due each minute, whose Jobs succeed as soon as they are seen. V8's
// inspector collects garbage once a minute, and counts what is left; so the program runs by `deno run`, not compiled.
//
//   deno task bench:soak [--cronjobs 300] [--minutes 95] [--json FILE]
import { parseArgs } from "node:util";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { controllerOf } from "../../src/kube/object.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { completedAt } from "../support/ended_job.ts";
import { must } from "../support/expected.ts";
import { ownPort } from "../support/own_port.ts";
import { follow } from "./support/follow.ts";
import { Inspector } from "./support/inspector.ts";
import { slope } from "./support/statistics.ts";
import { createCronJobs, startController, startMeasuredServer } from "./support/measured_controller.ts";
import { usageOf } from "./support/usage.ts";
import { report, rounded } from "./support/report.ts";

const MINUTE_MS = 60_000;
/** Of a minute: all runs are over and recorded. */
const QUIET_MS = 45_000;
/** Caches and code settle before: these are left out of the slope. */
const SETTLING_MINUTES = 35;

const { values: options } = parseArgs({
  options: {
    cronjobs: { type: "string", default: "300" },
    minutes: { type: "string", default: "95" },
    json: { type: "string" },
  },
});
const [count, minutes] = [Number(options.cronjobs), Number(options.minutes)];

await using server = await startMeasuredServer();
const inspected = `127.0.0.1:${ownPort()}`;
const main = new URL("../../main.ts", import.meta.url).pathname;
const program = [Deno.execPath(), "run", "-A", "--no-check", `--inspect=${inspected}`, main];
await using controller = await startController({ kubeconfig: server.kubeconfig, flags: [], program });
using inspector = await Inspector.connect(inspected);
await using watching = HttpKubeClient.to(server.connection);
const end = new AbortController();
let runs = 0;
await follow(watching, JOBS, end.signal, (type, job) => {
  if (type !== "ADDED" || !controllerOf(job)) return;
  runs++;
  const body = { status: completedAt(formatTime(Date.now())) };
  void server.client.patch(JOBS, job.metadata, { type: "merge", body }, { subresource: "status" });
});
await createCronJobs(server.client, { count, schedule: "* * * * *" });

const heap: { x: number; y: number }[] = [];
for (let minute = 1; minute <= minutes; minute++) {
  const untilQuietMs = (MINUTE_MS + QUIET_MS - Date.now() % MINUTE_MS) % MINUTE_MS || MINUTE_MS;
  await new Promise((resolve) => setTimeout(resolve, untilQuietMs));
  heap.push({ x: minute / 60, y: await inspector.heapInUse() / 1e6 });
  console.log(`Minute ${minute}: ${runs} runs, ${must(heap.at(-1)).y.toFixed(2)} MB of heap`);
}
end.abort();
const settled = heap.slice(SETTLING_MINUTES);
const { residentMb, cpuSeconds } = usageOf(controller.pid);
const row = {
  "CronJobs": count,
  "minutes": minutes,
  "runs": runs,
  "heap first (MB)": must(settled[0]).y,
  "heap last (MB)": must(settled.at(-1)).y,
  "heap grows in an hour (MB)": slope(settled),
  "memory (MB)": residentMb,
  "CPU (s)": cpuSeconds,
};
await report("soak", [rounded(row)], options.json);
