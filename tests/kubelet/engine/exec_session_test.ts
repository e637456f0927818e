import { assertEquals, assertRejects } from "@std/assert";
import { EngineApi } from "../../../src/kubelet/engine/api/engine_api.ts";
import { EngineError } from "../../../src/kubelet/engine/api/engine_error.ts";
import { openExec } from "../../../src/kubelet/engine/exec_session.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { until } from "../support/test_kubelet.ts";
import { requestOn } from "./support/raw_request.ts";

const COMMAND = { command: ["sleep", "1000"], stdin: false, tty: false };

/**
 * An engine that runs a command as a process of this machine, and never says that it has ended. Not by `Deno.serve`, which
 * refuses the connection's upgrade.
 */
async function withCommand(
  start: (connection: Deno.Conn) => void,
  check: (engine: { readonly api: EngineApi; readonly clock: FakeClock }) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/engine.sock`;
  let command: Deno.ChildProcess | undefined;
  const answerTo = (request: string): object => {
    const [, name = "", value = ""] = /"(\w+)=([-\w]+)"/.exec(request) ?? [];
    if (name) command = new Deno.Command("sleep", { args: ["1000"], env: { [name]: value } }).spawn();
    return { Id: "e", Running: true, ExitCode: null };
  };
  const listener = Deno.listen({ transport: "unix", path });
  const served = (async () => {
    for await (const connection of listener) {
      const request = await requestOn(connection);
      if (/^POST \S+\/start /.test(request)) {
        start(connection);
        continue;
      }
      const body = JSON.stringify(answerTo(request));
      const head =
        `HTTP/1.1 200 OK\r\napi-version: 1.41\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(head + body));
      connection.close();
    }
  })();
  const clock = new FakeClock();
  const api = new EngineApi("podman", { socket: { path: () => Promise.resolve(path) }, clock });
  await check({ api, clock });
  assertEquals((await command!.status).signal, "SIGKILL");
  await api.close();
  listener.close();
  await served;
}

test("A command that is cut off by the end of its engine is killed", () =>
  withCommand(
    async (connection) => {
      await connection.write(new TextEncoder().encode("HTTP/1.1 101 UPGRADED\r\n\r\n"));
      connection.close();
    },
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
  const { promise: asked, resolve } = Promise.withResolvers<Deno.Conn>();
  await withCommand(resolve, async (engine) => {
    const refused = assertRejects(() => openExec(engine, "c", COMMAND), EngineError, "podman took longer than 60 s");
    const connection = await asked;
    await engine.clock.advance(60_000);
    await refused;
    connection.close();
  });
});
