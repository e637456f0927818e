import { assertEquals, assertRejects } from "@std/assert";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import type { Duplex } from "node:stream";
import { EngineApi } from "../../../src/kubelet/engine/api/engine_api.ts";
import { EngineError } from "../../../src/kubelet/engine/api/engine_error.ts";
import { openExec } from "../../../src/kubelet/engine/exec_session.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { until } from "../support/test_kubelet.ts";

const COMMAND = { command: ["sleep", "1000"], stdin: false, tty: false };

/**
 * An engine that runs a command as a process of this machine, and never says that it has ended. Not by `Deno.serve`, which
 * refuses the connection's upgrade.
 */
async function withCommand(
  start: (connection: Duplex) => void,
  check: (engine: { readonly api: EngineApi; readonly clock: FakeClock }) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const socket = `${folder.path}/engine.sock`;
  let command: Deno.ChildProcess | undefined;
  const answer = async (request: IncomingMessage): Promise<object> => {
    if (request.method === "GET") return { Running: true, ExitCode: null };
    const { Env: [variable = ""] } = await json(request) as { Env: string[] };
    const [name = "", value = ""] = variable.split("=");
    command = new Deno.Command("sleep", { args: ["1000"], env: { [name]: value } }).spawn();
    return { Id: "e" };
  };
  const server = createServer(async (request, response) => {
    response.setHeader("api-version", "1.41");
    response.end(JSON.stringify(await answer(request)));
  });
  server.on("upgrade", (_request, connection: Duplex) => start(connection));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const clock = new FakeClock();
  const api = new EngineApi("podman", { socket: { path: () => Promise.resolve(socket) }, clock });
  await check({ api, clock });
  assertEquals((await command!.status).signal, "SIGKILL");
  await api.close();
  await new Promise((resolve) => server.close(resolve));
}

test("A command that is cut off by the end of its engine is killed", () =>
  withCommand(
    (connection) => connection.end("HTTP/1.1 101 UPGRADED\r\n\r\n"),
    async ({ api, clock }) => {
      const { ended } = await openExec({ api, clock }, "c", COMMAND);
      let code: number | undefined;
      ended.then((known) => code = known);
      await until(async () => {
        await clock.advance(50);
        return code !== undefined;
      });
      assertEquals(code, 137);
    },
  ));

test("A command whose start the engine does not answer is killed after its time", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<Duplex>();
  await withCommand(resolve, async (engine) => {
    const refused = assertRejects(() => openExec(engine, "c", COMMAND), EngineError, "podman took longer than 60 s");
    const connection = await asked;
    await engine.clock.advance(60_000);
    await refused;
    connection.destroy();
  });
});
