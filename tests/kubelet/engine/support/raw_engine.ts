import { EngineApi } from "../../../../src/kubelet/engine/api/engine_api.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { requestOn } from "./raw_request.ts";

const PONG = "HTTP/1.1 200 OK\r\napi-version: 1.41\r\ncontent-length: 0\r\n\r\n";

/** Stands in for an engine that answers, byte for byte, as a test wants it. */
export interface RawEngine extends AsyncDisposable {
  readonly api: EngineApi;
  readonly clock: FakeClock;
  /** The requests that were received, without pings: the method and the path. */
  readonly asked: string[];
}

/** @param pieces called with each request; what is sent, piece by piece, before the connection is ended */
export async function startRawEngine(pieces: (request: string) => readonly string[]): Promise<RawEngine> {
  const folder = await temporaryFolder();
  const path = `${folder.path}/engine.sock`;
  const listener = Deno.listen({ transport: "unix", path });
  const asked: string[] = [];
  const answer = async (connection: Deno.Conn) => {
    const request = await requestOn(connection);
    // `fetch` names the host, as to a proxy.
    const what = request.replace("http://[100::]", "").split(/[ ?]/).slice(0, 2).join(" ");
    const isPing = what === "GET /_ping";
    if (!isPing) asked.push(what);
    await sendAll(connection, isPing ? [PONG] : pieces(request)).catch(() => {/* The client has left. */});
    connection.close();
  };
  const served = (async () => {
    for await (const connection of listener) await answer(connection);
  })();
  const clock = new FakeClock();
  const api = new EngineApi("docker", { socket: { path: () => Promise.resolve(path) }, clock });
  return {
    api,
    clock,
    asked,
    async [Symbol.asyncDispose]() {
      await api.close();
      listener.close();
      await served;
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function sendAll(connection: Deno.Conn, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    await connection.write(new TextEncoder().encode(piece));
    // Each is to arrive by itself.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
