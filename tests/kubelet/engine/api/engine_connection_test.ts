import { assertEquals, assertRejects } from "@std/assert";
import { EngineApi } from "../../../../src/kubelet/engine/api/engine_api.ts";
import { EngineError } from "../../../../src/kubelet/engine/api/engine_error.ts";
import { EngineContainers } from "../../../../src/kubelet/engine/engine_containers.ts";
import { openExec } from "../../../../src/kubelet/engine/exec_session.ts";
import { createImage } from "../../../../src/kubelet/engine/images/image_store.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { table } from "../../../support/table.ts";
import { test } from "../../../support/test.ts";
import { startRawEngine } from "../support/raw_engine.ts";

const EXEC = { command: ["true"], stdin: false, tty: false };

/** Requests, by how they begin. */
const REQUESTS: Readonly<Record<string, (api: EngineApi, containers: EngineContainers) => Promise<unknown>>> = {
  "POST /v1.41/containers/create": (_, containers) => containers.create("c", { Image: "i" }),
  "POST /v1.41/containers/c/start": (_, containers) => containers.start("c"),
  "POST /v1.41/containers/c/kill": (_, containers) => containers.kill("c"),
  "POST /v1.41/containers/c/exec": (api) => openExec({ api, clock: new FakeClock() }, "c", EXEC),
  "POST /v1.41/exec/e/start": (api) => api.takeOver("/exec/e/start", {}),
  "POST /v1.41/images/create": (api) => createImage(api, { query: { fromImage: "i" } }),
  "DELETE /v1.41/containers/c": (_, containers) => containers.remove("c"),
  "GET /v1.41/containers/c/json": (_, containers) => containers.inspect("c"),
};

table(
  "A request is sent once, though the engine ends its connection",
  Object.entries(REQUESTS).flatMap(([what, ask]) =>
    ["", "HTTP/1.1 200 OK\r\ncontent-len"].map((sent) => [`${what} after "${sent}"`, what, ask, sent] as const)
  ),
  async (what, ask, sent) => {
    await using engine = await startRawEngine(() => [sent]);
    const { api, clock } = engine;
    const message = "docker ended the connection without a whole answer";
    const error = await assertRejects(() => ask(api, new EngineContainers({ api, clock })), EngineError, message);
    assertEquals([error.status, engine.asked], [undefined, [what]]);
  },
);

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

table("An answer is read whole, however it arrives", [
  ["of a stated length", [`${OK}Content-Length: 7\r\n\r\n{"`, `a":1}`, "no more"]],
  ["until the connection ends", [`${OK}\r\n{"a"`, ":1}"]],
  ["in chunks", [`${CHUNKED}3\r\n{"a\r\n`, `4\r\n":1}\r\n0\r\n\r\n`]],
  ["in chunks that are cut anywhere", [...`${CHUNKED}3;name=value\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`]],
  ["after a promise of it", [`HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 7\r\n\r\n{"a":1}`]],
], async (pieces) => {
  await using engine = await startRawEngine(() => pieces);
  assertEquals(await engine.api.get("/info"), { a: 1 });
});

table("An answer that cannot be read says why", [
  ["cut off amid its body", [`${OK}Content-Length: 7\r\n\r\n{"a"`], "ended the connection without a whole answer"],
  ["cut off between chunks", [`${CHUNKED}7\r\n{"a":1}\r\n`], "ended the connection without a whole answer"],
  ["a chunk without a length", [`${CHUNKED}x\r\n`], "Cannot read docker's answer: the length of a chunk"],
  ["another protocol", ["SSH-2.0\r\n\r\n"], "Cannot read docker's answer: the server's answer is not HTTP/1.1"],
  ["a head without an end", ["a".repeat(70_000)], "docker's answer has a head without an end"],
  ["no JSON", [`${OK}Content-Length: 1\r\n\r\n{`], "Cannot read docker's answer: Expected property name"],
], async (pieces, message) => {
  await using engine = await startRawEngine(() => pieces);
  await assertRejects(() => engine.api.get("/info"), EngineError, message);
});

test("A request ends after its time, though the engine's socket is not there yet", async () => {
  const clock = new FakeClock();
  const api = new EngineApi("podman", { socket: { path: () => new Promise<never>(() => {}) }, clock });
  const refused = assertRejects(() => api.post("/x", { timeoutMs: 1_000 }), EngineError, "took longer than 60 s");
  await clock.advance(60_000);
  await refused;
  assertEquals(clock.pending, 0);
});
