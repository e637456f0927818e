import { assertEquals } from "@std/assert";
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

const contained = (requests: Json, limits: Json = {}) => ({ name: "a", image: "i", resources: { requests, limits } });
const both = (cpu: string, memory: string) => ({ cpu, memory });

for (
  const [title, resources, qosClass] of [
    ["no amounts", contained({}), "BestEffort"],
    ["requests alone", contained({ cpu: "1" }), "Burstable"],
    ["the same amounts in other words", contained(both("1", "1Gi"), both("1000m", "1073741824")), "Guaranteed"],
  ] as const
) {
  test(`a Pod with ${title} is ${qosClass}`, () =>
    assertEquals(podOf({ containers: [resources] }).status.qosClass, qosClass));
}
