import { EngineApi } from "../../../../src/kubelet/engine/api/engine_api.ts";
import type { EngineName } from "../../../../src/kubelet/engine/api/engine_error.ts";
import type { Clock } from "../../../../src/base/clock.ts";
import { temporaryFolder } from "../../../support/program.ts";

/** A request to the engine. */
export interface Call {
  /** The method, and the path without the API's version. */
  readonly what: string;
  readonly query: URLSearchParams;
  readonly request: Request;
}

type Answer = Response | object | undefined;

/** Stands in for an engine: a server at a socket. */
export interface FakeEngine extends AsyncDisposable {
  readonly folder: string;
  readonly socket: string;
  readonly api: EngineApi;
  /** What it was asked for, without pings. */
  readonly asked: string[];
}

/**
 * Starts an engine.
 *
 * @param answer called with each request; what it returns is sent, as JSON unless it is a response. Nothing: 404
 */
export async function startFakeEngine(
  clock: Clock,
  answer: (call: Call) => Answer | Promise<Answer>,
  { engine = "podman", version = "1.41" }: {
    readonly engine?: EngineName;
    readonly version?: string | (() => string);
  } = {},
): Promise<FakeEngine> {
  const folder = await temporaryFolder();
  const socket = `${folder.path}/engine.sock`;
  const asked: string[] = [];
  const server = Deno.serve({ path: socket, onListen: () => {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/_ping") {
      const known = typeof version === "string" ? version : version();
      return new Response("OK", { headers: known ? { "api-version": known } : {} });
    }
    const what = `${request.method} ${pathname.replace(/^\/v[\d.]+/, "")}`;
    asked.push(what);
    const answered = await answer({ what, query: searchParams, request });
    if (answered instanceof Response) return answered;
    return answered ? Response.json(answered) : refusal(404, "no such thing");
  });
  const api = new EngineApi(engine, { socket: { path: () => Promise.resolve(socket) }, clock });
  return {
    folder: folder.path,
    socket,
    api,
    asked,
    async [Symbol.asyncDispose]() {
      await api.close();
      await server.shutdown();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Returns an answer that refuses. */
export function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status });
}
