import { assertEquals } from "@std/assert";
import type { Taint, Toleration } from "kubernetes-types/core/v1";
import type { Node, Pod } from "../../src/kube/resource.ts";
import { repulsion, toleratedMs } from "../../src/kubelet/taints.ts";
import { test } from "../support/test.ts";

const podWith = (tolerations?: Toleration[]) => ({ spec: { tolerations } }) as unknown as Pod;
const nodeWith = (spec: object) => ({ spec }) as unknown as Node;
const GPU: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };

test("A node repels the Pods that do not tolerate its taints", () => {
  const untolerated = "node(s) had untolerated taint {dedicated: gpu}";
  const rows: [node: object | undefined, tolerations: Toleration[] | undefined, repelled: string | undefined][] = [
    [undefined, undefined, undefined],
    [{}, undefined, undefined],
    [{ unschedulable: true }, undefined, "node(s) were unschedulable"],
    [{ unschedulable: true }, [{ operator: "Exists" }], undefined],
    [{ unschedulable: true }, [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }], undefined],
    [{ taints: [GPU] }, undefined, untolerated],
    [{ taints: [{ ...GPU, effect: "NoExecute" }] }, undefined, untolerated],
    [{ taints: [{ ...GPU, effect: "PreferNoSchedule" }] }, undefined, undefined],
    [{ taints: [GPU] }, [{ key: "dedicated", value: "gpu" }], undefined],
    [{ taints: [GPU] }, [{ key: "dedicated", value: "other" }], untolerated],
    [{ taints: [GPU] }, [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }], undefined],
    [{ taints: [GPU] }, [{ key: "dedicated", operator: "Exists", effect: "NoExecute" }], untolerated],
    [{ taints: [GPU] }, [{ key: "other", operator: "Exists" }], untolerated],
    [{ taints: [{ key: "bare", effect: "NoSchedule" }] }, [{ key: "bare", operator: "Equal" }], undefined],
  ];
  for (const [node, tolerations, repelled] of rows) {
    const found = repulsion(podWith(tolerations), node && nodeWith(node));
    assertEquals(found, repelled, JSON.stringify([node, tolerations]));
  }
});

test("A Pod stays under a taint as long as the shortest of its tolerations says", () => {
  const taint: Taint = { key: "gone", effect: "NoExecute" };
  const of = (...seconds: (number | undefined)[]) =>
    toleratedMs(podWith(seconds.map((tolerationSeconds) => ({ operator: "Exists", tolerationSeconds }))), taint);
  assertEquals([of(), of(undefined), of(60), of(60, 30), of(undefined, 60), of(-1)], [
    0,
    Infinity,
    60_000,
    30_000,
    60_000,
    0,
  ]);
});
