import { openApi } from "../../../src/kubelet/engine/api/open_api.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { ENGINE, ENGINE_ARGS } from "./engine.ts";

/** A request to an engine. */
export interface EngineCall {
  /** The method, and the path without the API's version. */
  readonly what: string;
  readonly body: string;
}

/** The engine's API at another socket. */
export interface EngineProxy extends AsyncDisposable {
  /** The operator's arguments that name the socket. */
  readonly args: readonly string[];
}

/** What a container is made by. */
export const CREATE = "POST /containers/create";

/**
 * Serves the engine's API.
 *
 * @param intercept called with each request before it is passed on; an answer takes the place of the engine's
 */
export async function startEngineProxy(
  folder: string,
  intercept: (call: EngineCall) => Response | undefined | Promise<Response | undefined>,
): Promise<EngineProxy> {
  const api = openApi(ENGINE, { args: ENGINE_ARGS, dataDir: folder, clock: new SystemClock() });
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: await api.socketPath() },
    poolMaxIdlePerHost: 0,
  });
  const path = `${folder}/proxy.sock`;
  const server = Deno.serve({ path, onListen: () => {} }, async (request) => {
    const { method, url, headers } = request;
    const { pathname, search } = new URL(url);
    const body = await request.text();
    const call = { what: `${method} ${pathname.replace(/^\/v[\d.]+/, "")}`, body };
    const options = { method, headers, client, body: method === "GET" ? null : body };
    return await intercept(call) ?? await fetch(`http://engine${pathname}${search}`, options);
  });
  return {
    args: [ENGINE === "podman" ? "--url" : "--host", `unix://${path}`],
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      client.close();
      await api.close();
    },
  };
}
