import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { type Node, NODES, PODS } from "../../src/kube/resource.ts";
import { writePlacement } from "../../src/kubelet/node.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { NODE, podOf, shell, startKubelet, until } from "./support/test_kubelet.ts";

test("Kubelet leaves Pods of other nodes and schedulers alone, and says so", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("elsewhere", shell("true"), { nodeName: "other" }));
  await kubelet.create(podOf("scheduled-by-another", shell("true"), { nodeName: undefined, schedulerName: "mine" }));
  await kubelet.create(podOf("here", shell("true")));
  await kubelet.create(podOf("nowhere", shell("true"), { nodeName: undefined }));
  await kubelet.finished("here");
  await kubelet.finished("nowhere");
  assertEquals((await kubelet.get("elsewhere")).status?.phase, "Pending");
  const { status } = await kubelet.until("scheduled-by-another", ({ status }) => status?.conditions);
  const [elsewhere, another] = [
    'spec.nodeName "other" is not this node, "test-node": leave the field out',
    'spec.schedulerName "mine" is not here: leave the field out',
  ];
  const { type, reason, message } = must(status?.conditions?.[0]);
  assertEquals([status?.phase, type, reason, message], ["Pending", "PodScheduled", "Unschedulable", another]);
  const said = kubelet.events.filter(({ reason }) => reason === "FailedScheduling").map((event) => event.message);
  assertEquals(said, [elsewhere, another]);
});

test("Kubelet takes a Pod once its gates are open", async () => {
  await using kubelet = await startKubelet();
  const gated = { nodeName: undefined, schedulingGates: [{ name: "example.com/later" }] };
  const { metadata } = await kubelet.create(podOf("gated", shell("true"), gated));
  await kubelet.create(podOf("after", shell("true"), { nodeName: undefined }));
  await kubelet.finished("after");
  const { spec, status } = await kubelet.get("gated");
  assertEquals([spec?.nodeName, status?.conditions?.[0]?.reason], [undefined, "SchedulingGated"]);
  await kubelet.client.patch(PODS, metadata, { type: "merge", body: { spec: { schedulingGates: null } } });
  const done = await kubelet.finished("gated");
  assertEquals([done.spec?.nodeName, done.status?.phase], [NODE, "Succeeded"]);
});

test("Kubelet says of a Pod why it waits, and takes it once there is room", async () => {
  await using kubelet = await startKubelet({ maxPods: 1 });
  await kubelet.create(podOf("first", shell("while [ ! -e go ]; do sleep 0.02; done")));
  const { metadata: { uid } } = await kubelet.running("first");
  await kubelet.create(podOf("second", shell("true"), { nodeName: undefined }));
  const scheduled = async () => {
    const { status } = await kubelet.get("second");
    return status?.conditions?.find(({ type }) => type === "PodScheduled");
  };
  const why = "Too many pods: 1 at a time, this one waits for its turn";
  const { status, reason, message } = await until(scheduled);
  assertEquals([status, reason, message], ["False", "Unschedulable", why]);
  assertEquals(kubelet.events.filter(({ reason }) => reason === "FailedScheduling").map((event) => event.message), [
    why,
  ]);
  Deno.writeTextFileSync(`${kubelet.dataDir}/pods/${uid}/main/0.work/go`, "");
  const { spec } = await kubelet.finished("second");
  const after = must(await scheduled());
  assertEquals([spec?.nodeName, after.status, after.reason, after.message], [NODE, "True", undefined, undefined]);
});

test("A Pod that has changed gets no node, and one that has a node keeps it", async () => {
  await using kubelet = await startKubelet();
  const { client } = kubelet.api;
  // The kubelet leaves it alone.
  const gated = { nodeName: undefined, schedulingGates: [{ name: "example.com/never" }] };
  const stale = await kubelet.create(podOf("work", shell("true"), gated));
  await client.patch(PODS, stale.metadata, { type: "merge", body: { metadata: { labels: { changed: "yes" } } } });
  assertEquals(await writePlacement(client, stale, { nodeName: NODE, now: 0 }), false);
  const known = await kubelet.get("work");
  assertEquals(await writePlacement(client, known, { nodeName: "other", now: 0 }), true);
  assertEquals(await writePlacement(client, known, { nodeName: NODE, now: 0 }), false);
  await writePlacement(client, await kubelet.get("work"), { nodeName: NODE, now: 0 });
  assertEquals((await kubelet.get("work")).spec?.nodeName, "other", "a Pod keeps its node");
});

test("Kubelet reports its node until the server takes it", async () => {
  const clock = new FakeClock();
  const readiness = ({ status }: Node) => status?.conditions?.map(({ type, status }) => [type, status]);
  await using kubelet = await startKubelet({ clock });
  const node = () => kubelet.api.client.get(NODES, { name: NODE });
  await until(() => node().then(() => true, () => false));
  assertEquals(readiness(await node()), [["Ready", "True"]]);
});

test("A node is neither cordoned nor tainted, and says what to do instead", async () => {
  await using kubelet = await startKubelet();
  const { client } = kubelet.api;
  await until(() => client.get(NODES, { name: NODE }).then(() => true, () => false));
  const taints = [{ key: "gone", effect: "NoExecute" }];
  for (
    const [field, spec] of Object.entries({ "spec.unschedulable": { unschedulable: true }, "spec.taints": { taints } })
  ) {
    const change = () => client.patch(NODES, { name: NODE }, { type: "merge", body: { spec } });
    const { code, message } = await assertRejects(change, ApiError);
    assertEquals([code, message.includes(field), message.includes("suspend CronJobs and Jobs")], [422, true, true]);
  }
  await client.patch(NODES, { name: NODE }, { type: "merge", body: { metadata: { labels: { mine: "yes" } } } });
});
