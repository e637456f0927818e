import { assertEquals } from "@std/assert";
import { JOBS } from "../../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { test } from "../../../support/test.ts";
import { made } from "../../support/made.ts";

const podOf = (spec: Json) => made(PODS, { spec: { containers: [{ name: "a", image: "i" }], ...spec } });

const DIGEST = `sha256:${"0".repeat(64)}`;
const IMAGES: readonly (readonly [image: string, pullPolicy: string])[] = [
  ["i", "Always"],
  ["localhost:5000/i", "Always"],
  ["Example/i:latest", "Always"],
  ["a.example/b/c-d__e.f:latest", "Always"],
  [`i:latest@${DIGEST}`, "Always"],
  ["i:1", "IfNotPresent"],
  [`i@${DIGEST}`, "IfNotPresent"],
  [`i:1@${DIGEST}`, "IfNotPresent"],
  ["Capital", "IfNotPresent"],
  ["a.example/Capital:latest", "IfNotPresent"],
  ["i:", "IfNotPresent"],
  ["i@latest", "IfNotPresent"],
];

for (const [image, pullPolicy] of IMAGES) {
  test(`the image ${image} is pulled ${pullPolicy}`, () => {
    const { spec } = podOf({
      containers: [{ name: "a", image }],
      volumes: [{ name: "v", image: { reference: image } }],
    });
    assertEquals(spec.containers[0].imagePullPolicy, pullPolicy);
    assertEquals(spec.volumes[0].image.pullPolicy, pullPolicy);
  });
}

test("ports of Pods on the node's network are the node's, those of templates may become so", () => {
  const spec = { hostNetwork: true, containers: [{ name: "a", image: "i", ports: [{ containerPort: 80 }] }] };
  assertEquals(podOf(spec).spec.containers[0].ports, [{ containerPort: 80, hostPort: 80, protocol: "TCP" }]);
  const { spec: { template } } = made(JOBS, { spec: { template: { spec: { restartPolicy: "Never", ...spec } } } });
  assertEquals(template.spec.containers[0].ports, [{ containerPort: 80, protocol: "TCP" }]);
});

const contained = (requests: Json, limits: Json = {}) => ({ name: "a", image: "i", resources: { requests, limits } });
const cpu = (cpu: string) => ({ cpu });
const both = (cpu: string, memory: string) => ({ cpu, memory });
const PAGES = "hugepages-2Mi";

/** What a Pod has in all. */
const IN_ALL: readonly (readonly [title: string, spec: Json, resources: Json | undefined, qosClass: string])[] = [
  ["nothing in all", { containers: [contained(cpu("1"))] }, undefined, "Burstable"],
  [
    "the same in other words",
    {
      containers: [contained(both("1", "1Gi"), both("1000m", "1073741824"))],
    },
    undefined,
    "Guaranteed",
  ],
  ["limits alone", { resources: { limits: both("1", "1Gi") } }, {
    limits: both("1", "1Gi"),
    requests: both("1", "1Gi"),
  }, "Guaranteed"],
  [
    "limits, and containers with requests",
    {
      resources: { limits: both("2", "1Gi") },
      containers: [contained(cpu("500m")), { ...contained(cpu("300m")), name: "b" }],
    },
    { limits: both("2", "1Gi"), requests: both("800m", "1Gi") },
    "Burstable",
  ],
  [
    "limits, and an init container that wants more",
    {
      resources: { limits: cpu("2") },
      containers: [contained(cpu("500m"))],
      initContainers: [{ ...contained(cpu("1")), name: "b" }],
    },
    { limits: cpu("2"), requests: cpu("1") },
    "Burstable",
  ],
  ["requests alone", { resources: { requests: cpu("1") } }, { requests: cpu("1") }, "Burstable"],
  [
    "requests, and containers with large pages",
    {
      resources: { requests: cpu("1") },
      containers: [contained({}, { [PAGES]: "2Mi" })],
    },
    { requests: { cpu: "1", [PAGES]: "2Mi" }, limits: { [PAGES]: "2Mi" } },
    "Burstable",
  ],
];

for (const [title, spec, resources, qosClass] of IN_ALL) {
  test(`a Pod with ${title} is given what else it has in all, and its rank`, () => {
    const pod = podOf(spec);
    assertEquals(pod.spec.resources, resources);
    assertEquals(pod.status.qosClass, qosClass);
  });
}
