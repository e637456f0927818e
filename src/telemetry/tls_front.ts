import { onAbort } from "../base/abort.ts";
import { closeQuietly, relay } from "./relay.ts";

/**
 * Ends TLS for connections that were accepted as plain TCP, so that each can be closed at any time. Deno keeps the file
 * descriptor of a connection that it accepted by TLS until the handshake ends, even if the connection is closed. So a listener
 * on loopback accepts by TLS. Each connection is relayed to it, and the handshake ends when the relay does.
 */
export class TlsFront {
  readonly #listener: Deno.TlsListener;
  /** The relays under way, each with a function that closes both of its sides. */
  readonly #relays = new Map<Promise<void>, () => void>();

  constructor(tls: { readonly cert: string; readonly key: string }) {
    // Over HTTP/2 one connection could leave 200 answers unread.
    this.#listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...tls, alpnProtocols: ["http/1.1"] });
  }

  /**
   * Begins a handshake, which aborting `end` breaks off: then `secured` resolves to undefined. The promise is in an
   * object, so that awaiting this function does not await the handshake. One call at a time.
   */
  async greet(outer: Deno.Conn, end: AbortSignal): Promise<{ readonly secured: Promise<Deno.TlsConn | undefined> }> {
    const inner = await Deno.connect({ hostname: "127.0.0.1", port: this.#listener.addr.port });
    const accepted = await this.#acceptFrom(inner);
    const close = () => [outer, inner].forEach(closeQuietly);
    const relayed = relay(outer, inner);
    this.#relays.set(relayed, close);
    relayed.then(() => this.#relays.delete(relayed));
    return { secured: securedBy(accepted, end, close) };
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#listener.close();
    for (const close of this.#relays.values()) close();
    await Promise.all(this.#relays.keys());
  }

  /** Returns the other side of `inner`: another program of this machine may have connected before it. */
  async #acceptFrom(inner: Deno.TcpConn): Promise<Deno.TlsConn> {
    for (;;) {
      const accepted = await this.#listener.accept();
      if ((accepted.remoteAddr as Deno.NetAddr).port === inner.localAddr.port) return accepted;
      accepted.close();
    }
  }
}

async function securedBy(
  accepted: Deno.TlsConn,
  end: AbortSignal,
  breakOff: () => void,
): Promise<Deno.TlsConn | undefined> {
  using _end = onAbort(end, breakOff);
  try {
    await accepted.handshake();
    return accepted;
  } catch {
    breakOff();
    closeQuietly(accepted);
    return undefined;
  }
}
