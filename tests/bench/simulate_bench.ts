// How long the compiled program takes to simulate a day of 5,000 CronJobs, from its start to its end.
//
//   [CJC_TEST_BINARY=FILE] deno task bench:simulate [COUNT]
import { stringify } from "yaml";
import { temporaryFolder } from "../support/program.ts";
import { printRunTimes } from "./support/run_times.ts";

const COUNT = Number(Deno.args[0] ?? 5_000);
const CROWDED = 10;

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

await using folder = await temporaryFolder({
  "mixed.yaml": inYaml(mixed),
  "mixed.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: mixed }, null, 2),
  "crowded.yaml": inYaml(crowded),
});
for (
  const [what, file, ...args] of [
    ["mixed schedules, YAML", "mixed.yaml"],
    ["mixed schedules, JSON", "mixed.json"],
    ["mixed schedules, six days ahead", "mixed.yaml", "--from", "6d"],
    ["mixed schedules, three hundred days ahead", "mixed.yaml", "--from", "300d"],
    ["each minute with Forbid, runs of 90s", "crowded.yaml", "--durations", "90s"],
  ] as const
) {
  const count = file === "crowded.yaml" ? CROWDED : COUNT;
  await printRunTimes(what, ["simulate", "-f", `${folder.path}/${file}`, ...args], `${count} CronJobs`);
}
