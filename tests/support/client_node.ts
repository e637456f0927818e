/** Loads client-node, after adding to Deno 2.7 what its HTTP library needs of Node. */
export async function loadClientNode() {
  const threads = await import("node:worker_threads") as unknown as { default: { markAsUncloneable?: () => void } };
  threads.default.markAsUncloneable ??= () => {};
  const events = await import("node:events") as unknown as {
    default: { addAbortListener?: (signal: AbortSignal, listener: () => void) => Disposable };
  };
  if (!events.default.addAbortListener) {
    events.default.addAbortListener = (signal, listener) => {
      signal.addEventListener("abort", listener, { once: true });
      return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
    };
    // Its HTTP/2 client opens no connection over TLS, so that it must not be offered.
    const { default: tls } = await import("node:tls");
    const connect = tls.connect as (options: object) => unknown;
    Object.assign(tls, { connect: (options: object) => connect({ ...options, ALPNProtocols: ["http/1.1"] }) });
  }
  return await import("@kubernetes/client-node");
}
