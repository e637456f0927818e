import type { Clock } from "../base/clock.ts";

/** The pause between two attempts to listen again. */
const PAUSE_MS = 1_000;

export interface LastingServerOptions {
  readonly clock: Pick<Clock, "sleep">;
  /** Listens until `signal` is aborted, on `port` or, at first, on any port. */
  readonly listen: (signal: AbortSignal, port: number | undefined) => Deno.HttpServer<Deno.NetAddr>;
  /** Called when no connection can be accepted: all open ones end, and the server listens again. */
  readonly onFailure: (error: unknown) => void;
  /** Called when all connections are to end. */
  readonly onEnd?: () => void;
}

/**
 * A server that goes on where Deno's ends: once no file descriptor is left for a connection, Deno's never accepts another
 * connection, and its rejection would end the program.
 */
export class LastingServer {
  readonly port: number;
  readonly #options: LastingServerOptions;
  readonly #closed = new AbortController();
  #stop!: AbortController;
  #server: Deno.HttpServer<Deno.NetAddr>;

  /** @throws what `listen` throws */
  constructor(options: LastingServerOptions) {
    this.#options = options;
    this.#server = this.#listen(undefined);
    this.port = this.#server.addr.port;
  }

  /** Aborted when the connections that are open now end. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends all connections, and listens again as soon as it can. */
  async restart(): Promise<void> {
    await this.#end();
    while (this.signal.aborted && !this.#closed.signal.aborted) {
      try {
        this.#server = this.#listen(this.port);
      } catch {
        await this.#options.clock.sleep(PAUSE_MS, this.#closed.signal).catch(() => {/* the server was closed */});
      }
    }
  }

  /** Ends all connections, for good. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#end();
  }

  #listen(port: number | undefined): Deno.HttpServer<Deno.NetAddr> {
    const { listen, onFailure } = this.#options;
    const stop = new AbortController();
    const server = listen(stop.signal, port);
    this.#stop = stop;
    server.finished.catch((error) => {
      onFailure(error);
      if (this.#stop === stop) return this.restart();
    });
    return server;
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    this.#options.onEnd?.();
    await this.#server.finished.catch(() => {/* onFailure had it */});
  }
}
