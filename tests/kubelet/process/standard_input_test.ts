import { assertEquals } from "@std/assert";
import { PodSessions } from "../../../src/kubelet/pod_sessions.ts";
import { makeInput, OPEN_INPUT, WRITE_INPUT } from "../../../src/kubelet/process/standard_input.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { test } from "../../support/test.ts";
import { podOf, shell, TestKubelet, until } from "../support/test_kubelet.ts";

const TRIES = 30;

test("The end of input is kept, however soon the container's only client says it", async () => {
  const folder = await Deno.makeTempDir();
  const sh = (script: string, ...args: string[]) =>
    new Deno.Command("/bin/sh", { args: ["-c", script, "sh", ...args], stdin: "null", stdout: "null" }).spawn().status;
  try {
    const ended = await Promise.all(Array.from({ length: TRIES }, async (_, index) => {
      const path = `${folder}/${index}`;
      makeInput(path, { tty: false });
      const container = sh(`__cjc_in=$1\n${OPEN_INPUT}\nexec timeout 5 cat`, path);
      await sh(WRITE_INPUT, path, "once");
      return (await container).code;
    }));
    assertEquals(ended.filter((code) => code !== 0).length, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("Input ends with its only client, which left before it wrote anything", async () => {
  const podSessions = new PodSessions();
  await using api = await startTestApiServer();
  await using kubelet = new TestKubelet(api, { sessions: podSessions });
  const pod = await kubelet.create(podOf("once", { ...shell("cat; echo over"), stdin: true, stdinOnce: true }));
  await kubelet.running("once");
  const target = { pod: pod.metadata, container: "main" };
  const session = await until(() => podSessions.open(target, { stdin: true, tty: false }).catch(() => undefined));
  session.end();
  await session.stdout.cancel();
  assertEquals((await kubelet.finished("once")).status?.phase, "Succeeded");
});
