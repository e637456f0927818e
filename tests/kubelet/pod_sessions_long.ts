import { assertEquals, assertStringIncludes } from "@std/assert";
import { PodSessions } from "../../src/kubelet/pod_sessions.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { podOf, shell, TestKubelet } from "./support/test_kubelet.ts";

/** Deno's own pings come after 15 s, and end a connection 15 s later. */
const LONG_MS = 17_000;

test("A client that reads nothing for long is not cut off", async () => {
  const podSessions = new PodSessions();
  await using api = await startTestApiServer({ podSessions });
  await using kubelet = new TestKubelet(api, { sessions: podSessions });
  await kubelet.create(podOf("waits", shell("while :; do sleep 1; done")));
  await kubelet.running("waits");
  const { url, caCertificate, token } = api.server;
  const port = Number(new URL(url).port);
  using connection = await Deno.connectTls({ hostname: "127.0.0.1", port, caCerts: [caCertificate] });
  const head = [
    "GET /api/v1/namespaces/default/pods/waits/exec?stdout=1&command=sleep&command=1000 HTTP/1.1",
    "Host: 127.0.0.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Protocol: v5.channel.k8s.io",
    `Authorization: Bearer ${token}`,
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
  const answer = new Uint8Array(4096);
  const length = await connection.read(answer);
  assertStringIncludes(new TextDecoder().decode(answer.subarray(0, length ?? 0)), "101 Switching Protocols");
  const more = connection.read(answer).catch(() => null);
  const quiet = new Promise<string>((resolve) => setTimeout(() => resolve("quiet"), LONG_MS));
  assertEquals(await Promise.race([more, quiet]), "quiet");
});
