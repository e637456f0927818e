// How long the compiled program takes to simulate a day of 5,000 CronJobs, from its start to its end.
//
//   deno run -A tests/bench/simulate_bench.ts [BINARY] [COUNT]
import { stringify } from "yaml";

const BINARY = Deno.args[0] ?? new URL("../../dist/cronjob-controller", import.meta.url).pathname;
const COUNT = Number(Deno.args[1] ?? 5_000);
const CROWDED = 10;
const TIMES = 7;

const SCHEDULES = ["*/5 * * * *", "0 2 * * *", "*/15 * * * *", "@hourly", "30 3 * * 1", "H/10 * * * *", "* * * * *"];
const POLICIES = ["Allow", "Forbid", "Replace", "Queue"];

const container = {
  name: "main",
  image: "registry.example/team/tool:1.2.3",
  command: ["/bin/tool", "--run"],
  env: [{ name: "A", value: "b" }],
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
};

function cronJob(i: number, spec: object) {
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  return {
    apiVersion: "cronjob-controller.dev/v1",
    kind: "CronJob",
    metadata: { name: `bench-${i}`, namespace: `team-${i % 40}`, labels: { app: `bench-${i % 100}` } },
    spec: { ...spec, startingDeadlineSeconds: 300, jobTemplate: { spec: { backoffLimit: 2, template } } },
  };
}

const mixed = Array.from({ length: COUNT }, (_, i) =>
  cronJob(i, {
    schedule: SCHEDULES[i % SCHEDULES.length],
    timeZone: i % 3 === 0 ? "UTC" : "Europe/Berlin",
    concurrencyPolicy: POLICIES[i % POLICIES.length],
  }));
const crowded = Array.from(
  { length: CROWDED },
  (_, i) => cronJob(i, { schedule: "* * * * *", concurrencyPolicy: "Forbid" }),
);
const inYaml = (cronJobs: readonly object[]) => cronJobs.map((one) => stringify(one)).join("---\n");

const folder = await Deno.makeTempDir();
try {
  const files = {
    "mixed.yaml": inYaml(mixed),
    "mixed.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: mixed }, null, 2),
    "crowded.yaml": inYaml(crowded),
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
  await measure("mixed schedules, YAML", ["-f", `${folder}/mixed.yaml`]);
  await measure("mixed schedules, JSON", ["-f", `${folder}/mixed.json`]);
  await measure("mixed schedules, six days ahead", ["-f", `${folder}/mixed.yaml`, "--from", "6d"]);
  await measure("mixed schedules, three hundred days ahead", ["-f", `${folder}/mixed.yaml`, "--from", "300d"]);
  await measure(
    "each minute with Forbid, runs of 90s",
    ["-f", `${folder}/crowded.yaml`, "--durations", "90s"],
    CROWDED,
  );
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function measure(what: string, args: readonly string[], count = COUNT): Promise<void> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const began = performance.now();
    const { stderr } = await new Deno.Command(BINARY, { args: ["simulate", ...args], stdout: "null", stderr: "piped" })
      .output();
    if (stderr.length > 0) throw new Error(new TextDecoder().decode(stderr));
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const [best, median] = [times[0], times[Math.floor(TIMES / 2)]].map((ms = NaN) => Math.round(ms));
  console.log(`${what}: ${median} ms (best ${best} ms) for ${count} CronJobs`);
}
