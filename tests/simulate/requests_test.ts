import { assertEquals } from "@std/assert";
import { requestsOfJob } from "../../src/simulate/requests.ts";
import { test } from "../support/test.ts";

const container = (cpu: string, memory: string, more: object = {}) => ({
  resources: { requests: { cpu, memory } },
  ...more,
});
const MI = 2 ** 20;

const ROWS: readonly (readonly [what: string, jobSpec: object, cpuMillis: number, memoryMi: number])[] = [
  ["containers add up", { pod: { containers: [container("250m", "64Mi"), container("1", "1Gi")] } }, 1_250, 1_088],
  [
    "an init container that needs more counts in their place",
    {
      pod: {
        containers: [container("250m", "64Mi")],
        initContainers: [container("2", "32Mi"), container("1", "16Mi")],
      },
    },
    2_000,
    64,
  ],
  [
    "a sidecar counts beside containers, and beside init containers after it",
    {
      pod: {
        containers: [container("250m", "64Mi")],
        initContainers: [container("100m", "10Mi", { restartPolicy: "Always" }), container("1", "16Mi")],
      },
    },
    1_100,
    74,
  ],
  [
    "a limit is a request where there is none",
    {
      pod: { containers: [{ resources: { limits: { cpu: "0.5", memory: "1M" }, requests: { memory: "1Mi" } } }] },
    },
    500,
    1,
  ],
  [
    "the overhead comes on top",
    {
      pod: { containers: [container("1", "1Mi")], overhead: { cpu: "50m", memory: "1Mi" } },
    },
    1_050,
    2,
  ],
  [
    "as many times as Pods run beside each other",
    {
      parallelism: 3,
      completions: 10,
      pod: { containers: [container("1", "1Mi")] },
    },
    3_000,
    3,
  ],
  [
    "no more Pods than there are completions",
    {
      parallelism: 5,
      completions: 2,
      pod: { containers: [container("1", "1Mi")] },
    },
    2_000,
    2,
  ],
  ["parts of a processor are exact", { pod: { containers: [container("1.1", "")] } }, 1_100, 0],
  ["what is no quantity counts as nothing", { pod: { containers: [container("much", "")] } }, 0, 0],
  ["what is no list of containers counts as nothing", { pod: { containers: "none" } }, 0, 0],
];

for (
  const [what, { pod, ...job }, cpuMillis, memoryMi]
    of ROWS as readonly (readonly [string, { pod: object }, number, number])[]
) {
  test(`requests of a Job: ${what}`, () => {
    const found = requestsOfJob({ spec: { ...job, template: { spec: pod } } });
    assertEquals(found, { cpuMillis, memoryBytes: memoryMi * MI });
  });
}

test("a Job of any other JSON requests nothing", () => {
  for (const template of [undefined, null, 3, "x", [], {}]) {
    assertEquals(requestsOfJob(template), { cpuMillis: 0, memoryBytes: 0 });
  }
});
