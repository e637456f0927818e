import { assertEquals } from "@std/assert";
import { LEASES, NODES, PODS } from "../../src/kube/resource.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { NODE, podOf, shell, startKubelet, until } from "./support/test_kubelet.ts";

test("Kubelet leaves Pods of other nodes alone", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("elsewhere", shell("true"), { nodeName: "other" }));
  await kubelet.create(podOf("scheduled-by-another", shell("true"), { nodeName: undefined, schedulerName: "mine" }));
  await kubelet.create(podOf("here", shell("true")));
  await kubelet.create(podOf("nowhere", shell("true"), { nodeName: undefined }));
  await kubelet.finished("here");
  await kubelet.finished("nowhere");
  assertEquals((await kubelet.get("elsewhere")).status?.phase, "Pending");
  assertEquals((await kubelet.get("scheduled-by-another")).status?.phase, "Pending");
});

test("Kubelet binds no Pod while its node is cordoned, and says why", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 100 });
  const { client } = kubelet;
  const cordon = (unschedulable: boolean) =>
    client.patch(NODES, { name: NODE }, { type: "merge", body: { spec: { unschedulable } } });
  await until(() => client.get(NODES, { name: NODE }).then(() => true, () => false));
  await cordon(true);
  const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }];
  // The kubelet hears of its node and of Pods by watches apart: a Pod may be bound before it has seen the cordon.
  const firstCondition = async (name: string) => {
    await kubelet.create(podOf(name, shell("true"), { nodeName: undefined }));
    const { status } = await kubelet.until(name, ({ status }) => status?.conditions?.length);
    return atLeast(1, status!.conditions!)[0];
  };
  let cordoned = "cordoned";
  let condition = await firstCondition(cordoned);
  while (condition.reason !== "Unschedulable") condition = await firstCondition(cordoned += "-again");
  const why = "0/1 nodes are available: 1 node(s) were unschedulable";
  assertEquals([condition.type, condition.message], ["PodScheduled", why]);
  await kubelet.create(podOf("tolerant", shell("true"), { nodeName: undefined, tolerations }));
  await kubelet.finished("tolerant");
  assertEquals(kubelet.events.filter(({ reason }) => reason === "FailedScheduling").map((event) => event.message), [
    why,
  ]);
  await cordon(false);
  await kubelet.finished(cordoned);
});

test("Kubelet ends Pods that do not tolerate a NoExecute taint of its node, at once or after a while", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 100 });
  const { client } = kubelet;
  const work = shell("sleep 1000");
  const tolerating = (tolerationSeconds?: number) => ({
    terminationGracePeriodSeconds: 1,
    tolerations: [{ key: "gone", operator: "Exists", effect: "NoExecute", tolerationSeconds }],
  });
  await kubelet.create(podOf("intolerant", work, { terminationGracePeriodSeconds: 1 }));
  await kubelet.create(podOf("patient", work, tolerating(0)));
  await kubelet.create(podOf("tolerant", work, tolerating()));
  await Promise.all(["intolerant", "patient", "tolerant"].map((name) => kubelet.running(name)));
  const taints = [{ key: "gone", effect: "NoExecute" }];
  const keep = (finalizers: string[]) =>
    client.patch(PODS, { name: "intolerant", namespace: "default" }, {
      type: "merge",
      body: { metadata: { finalizers } },
    });
  await keep(["example.com/looked-at"]);
  await client.patch(NODES, { name: NODE }, { type: "merge", body: { spec: { taints } } });
  const marked = await kubelet.until("intolerant", ({ metadata }) => metadata.deletionTimestamp);
  const target = marked.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  assertEquals([target?.status, target?.reason], ["True", "DeletionByTaintManager"]);
  await keep([]);
  await Promise.all([kubelet.deleted("intolerant"), kubelet.deleted("patient")]);
  assertEquals((await kubelet.get("tolerant")).status?.phase, "Running");
});

test("Kubelet renews the lease of its node", async () => {
  const clock = new FakeClock();
  await using kubelet = await startKubelet({ clock });
  const lease = () => kubelet.client.get(LEASES, { name: NODE, namespace: "kube-node-lease" }).catch(() => undefined);
  const first = await until(async () => {
    const found = await lease();
    // Tried before the Node was there, it is tried again.
    if (!found) await clock.advance(10_000);
    return found;
  });
  assertEquals([first.spec?.holderIdentity, first.metadata.ownerReferences?.[0]?.kind], [NODE, "Node"]);
  await until(async () => {
    await clock.advance(10_000);
    return (await lease())?.spec?.renewTime !== first.spec?.renewTime;
  });
});
