import type { ApiServer } from "../../src/apiserver/server.ts";
import { HttpKubeClient, type KubeClientOptions } from "../../src/kube/http_client.ts";

/**
 * The wait of a request before it reaches the API server, as behind a slow admission webhook; undefined for none. A wait that
 * ends in a response is the answer.
 */
export type Delay = (request: { readonly method: string; readonly path: string }) => Promise<unknown> | undefined;

export interface SlowFront extends AsyncDisposable {
  readonly url: string;
  readonly client: HttpKubeClient;
  /** How many requests wait. */
  readonly waiting: number;
}

/** A server before the API server that delays some requests, and a client of it. */
export function startSlowFront(
  { url, caCertificate, token }: Pick<ApiServer, "url" | "caCertificate" | "token">,
  delay: Delay,
  options: KubeClientOptions = {},
): SlowFront {
  const onward = Deno.createHttpClient({ caCerts: [caCertificate], poolMaxIdlePerHost: 1_000 });
  let waiting = 0;
  const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const wait = delay({ method: request.method, path: pathname });
    const body = request.body && await request.arrayBuffer();
    if (wait) waiting++;
    const answer = await wait?.finally(() => waiting--);
    if (answer instanceof Response) return answer;
    const { method, headers, signal } = request;
    try {
      const answer = await fetch(`${url}${pathname}${search}`, { method, headers, signal, body, client: onward });
      // A client that has just gone takes no answer, and a body that is handed on cannot be cancelled, nor need be.
      const drop = () => void answer.body?.cancel().catch(() => {});
      if (signal.aborted) drop();
      else signal.addEventListener("abort", drop, { once: true });
      return answer;
    } catch {
      // The client is gone.
      return new Response(null, { status: 502 });
    }
  });
  const server = `http://127.0.0.1:${front.addr.port}`;
  const client = HttpKubeClient.to({ server, token }, options);
  return {
    url: server,
    client,
    get waiting() {
      return waiting;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await front.shutdown();
      onward.close();
    },
  };
}
