import { assert, assertEquals } from "@std/assert";
import { PODS } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";
import { isRunning, pidIn, podOf, shell, startKubelet, TestKubelet, until } from "./support/test_kubelet.ts";

test("Kubelet ends what runs when it is stopped, and fails those Pods", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 3_000 });
  await kubelet.create(podOf("polite", shell("echo up; sleep 1000")));
  await kubelet.create(podOf("stubborn", shell("trap '' TERM; echo up; sleep 1000; sleep 1000")));
  await kubelet.create(podOf("done", shell("echo up")));
  await until(() => kubelet.output.length === 3);
  await kubelet.finished("done");
  await kubelet.stop();
  for (const [name, exitCode] of [["polite", 143], ["stubborn", 137]] as const) {
    const { status } = await kubelet.get(name);
    assertEquals([status?.phase, status?.reason], ["Failed", "Terminated"], name);
    assertEquals(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, exitCode);
    assertEquals(status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason, "TerminationByKubelet");
  }
  assertEquals((await kubelet.get("done")).status?.phase, "Succeeded");
});

test("Kubelet leaves what runs to its next start where its options say so", async () => {
  await using first = await startKubelet({ onStop: "leave" });
  const script =
    `echo $$$$ > ${first.dataDir}/pid; echo up; while [ ! -e ${first.dataDir}/go ]; do sleep 0.02; done; exit 4`;
  await first.create(podOf("lasting", shell(script)));
  await first.running("lasting");
  const pid = await pidIn(`${first.dataDir}/pid`);
  await first.stop();
  assertEquals(isRunning(pid), true);
  assertEquals((await first.get("lasting")).status?.phase, "Running");
  await using second = new TestKubelet(first.api);
  Deno.writeTextFileSync(`${first.dataDir}/go`, "");
  const { status } = await second.finished("lasting");
  assertEquals(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 4);
  assertEquals(status?.containerStatuses?.[0]?.restartCount, 0);
});

test("Kubelet cleans up after Pods that were deleted while it was away", async () => {
  await using kubelet = await startKubelet();
  const { metadata: { uid } } = await kubelet.create(podOf("gone", shell("true")));
  await kubelet.finished("gone");
  await kubelet.stop();
  assert(kubelet.hasFolderOf(uid));
  await kubelet.client.delete(PODS, { name: "gone", namespace: "default" });
  await using second = new TestKubelet(kubelet.api);
  await until(() => !second.hasFolderOf(uid));
});

testAlone(import.meta.url, "Kubelet runs Pods beside files that it cannot make out or remove", async () => {
  await using kubelet = await startKubelet();
  await kubelet.stop();
  Deno.writeTextFileSync(`${kubelet.dataDir}/pods/.DS_Store`, "");
  Deno.mkdirSync(`${kubelet.dataDir}/pods/left`);
  const { removeSync } = Deno;
  Deno.removeSync = (path, options) => {
    if (String(path).endsWith("/left")) throw new Deno.errors.PermissionDenied("another user's");
    removeSync(path, options);
  };
  await using second = new TestKubelet(kubelet.api);
  await second.create(podOf("runs", shell("true")));
  assertEquals((await second.finished("runs")).status?.phase, "Succeeded");
  assertEquals([second.hasFolderOf("left"), second.hasFolderOf(".DS_Store")], [true, false]);
});

test("Kubelet never changes a last phase, whatever it finds at the next start", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("late", shell("trap 'exit 0' TERM; sleep 1000 & wait"), { activeDeadlineSeconds: 1 }));
  const { status } = await kubelet.finished("late");
  assertEquals([status?.phase, status?.reason], ["Failed", "DeadlineExceeded"]);
  await kubelet.stop();
  await kubelet.client.patch(PODS, { name: "late", namespace: "default" }, {
    type: "merge",
    body: { metadata: { finalizers: ["example.com/hold"] } },
  });
  await kubelet.client.delete(PODS, { name: "late", namespace: "default" });
  await using second = new TestKubelet(kubelet.api);
  await second.create(podOf("marker", shell("true")));
  await second.finished("marker");
  const after = await second.get("late");
  assertEquals([after.status?.phase, after.status?.reason], ["Failed", "DeadlineExceeded"]);
});
