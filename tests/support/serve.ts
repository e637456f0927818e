/** An HTTP server on any free port of this machine. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Answers requests until it is disposed of. */
export function serve(answer: (request: Request) => Response | Promise<Response>): Served {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}
