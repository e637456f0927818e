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
};

table(
  "A request is sent once, though the engine ends its connection",
  Object.entries(REQUESTS).flatMap(([what, ask]) =>
    ["", "HTTP/1.1 200 OK\r\ncontent-len"].map((sent) => [`${what} after "${sent}"`, what, ask, sent] as const)
  ),
  async (what, ask, sent) => {
    await using engine = await startRawEngine(() => [sent]);
    const { api, clock } = engine;
    const error = await assertRejects(() => ask(api, new EngineContainers({ api, clock })), EngineError);
    assertEquals([error.status, engine.asked], [undefined, [what]]);
  },
);

table("An answer that cannot be read says why", [
  ["cut off amid its body", 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a"', "Cannot reach docker: "],
  [
    "cut off between chunks",
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n',
    "Cannot reach docker: ",
  ],
  ["no JSON", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{", "Cannot read docker's answer: Expected property name"],
], async (sent, message) => {
  await using engine = await startRawEngine(() => [sent]);
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

/** Longer than what is read at once. */
const LONG = `OCI runtime error: ${"x".repeat(100_000)}`;

table("The reason for which a request is refused is whole", [
  ["a start", "POST /v1.41/containers/c/start"],
  ["a command", "POST /v1.41/exec/e/start"],
], async (what) => {
  const body = JSON.stringify({ message: LONG });
  const pieces = [body.slice(0, 9), body.slice(9, 50_000), body.slice(50_000)];
  await using engine = await startRawEngine((request) => {
    // Of an answer in HTTP/1.1 the body may be in chunks.
    assertEquals(request.split(" ")[2]?.slice(0, 8), "HTTP/1.0");
    return ["HTTP/1.0 500 Internal Server Error\r\n\r\n", ...pieces];
  });
  const { message, status } = await assertRejects(
    () => REQUESTS[what]!(engine.api, new EngineContainers(engine)),
    EngineError,
  );
  assertEquals([message, status], [LONG, 500]);
});
