import { assertEquals } from "@std/assert";
import { PODS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { isRunning, NODE, pidIn, podOf, shell, TestKubelet, until } from "./support/test_kubelet.ts";

test("Kubelet takes up the Pods of a killed one: none runs twice, none is left behind", async () => {
  await using api = await startTestApiServer();
  const { server, client, dataDir } = api;
  const program = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      new URL("./support/kubelet_to_kill.ts", import.meta.url).pathname,
      server.url,
      server.caCertificate,
      server.token,
      dataDir,
      NODE,
    ],
  }).spawn();
  const note = (name: string) => `echo $$$$ >> ${dataDir}/${name}.pid`;
  const wait = `while [ ! -e ${dataDir}/go ]; do sleep 0.02; done`;
  await client.create(PODS, podOf("ends-meanwhile", shell(`${note("ends-meanwhile")}; ${wait}; exit 7`)));
  await client.create(
    PODS,
    podOf("ends-later", shell(`${note("ends-later")}; echo first; read x < ${dataDir}/later; exit 8`)),
  );
  await client.create(PODS, podOf("deleted-meanwhile", shell(`${note("deleted-meanwhile")}; sleep 1000`)));
  await new Deno.Command("mkfifo", { args: [`${dataDir}/later`] }).output();
  const names = ["ends-meanwhile", "ends-later", "deleted-meanwhile"];
  const pids = await Promise.all(names.map((name) => pidIn(`${dataDir}/${name}.pid`)));
  program.kill("SIGKILL");
  await program.status;

  Deno.writeTextFileSync(`${dataDir}/go`, "");
  await until(() => !isRunning(must(pids[0])));
  await client.delete(PODS, { name: "deleted-meanwhile", namespace: "default" }, { gracePeriodSeconds: 0 });

  await using kubelet = new TestKubelet(api);
  const meanwhile = await kubelet.finished("ends-meanwhile");
  assertEquals(meanwhile.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 7);
  await until(() => !isRunning(must(pids[2])));
  assertEquals(isRunning(must(pids[1])), true);
  Deno.writeTextFileSync(`${dataDir}/later`, "x\n");
  const later = await kubelet.finished("ends-later");
  assertEquals(later.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 8);
  assertEquals(later.status?.containerStatuses?.[0]?.restartCount, 0);
  for (const [index, name] of names.entries()) {
    assertEquals(Deno.readTextFileSync(`${dataDir}/${name}.pid`), `${pids[index]}\n`, `${name} ran once`);
  }
});
