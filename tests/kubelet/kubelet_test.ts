import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { podOf, startKubelet, until } from "./support.ts";

test("Kubelet runs a Pod's command and says how it ended", async () => {
  await using kubelet = await startKubelet();
  kubelet.create(podOf("hello", { command: ["sh", "-c", "echo hello; exit 3"] }));
  const pod = await until(() => kubelet.finished("hello"));
  assertEquals(pod.status?.phase, "Failed");
  const terminated = pod.status?.containerStatuses?.[0].state?.terminated;
  assertEquals([terminated?.exitCode, terminated?.reason], [3, "Error"]);
  assertEquals(kubelet.log(pod), "hello\n");
});
