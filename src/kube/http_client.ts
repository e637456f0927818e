import { type Clock, SystemClock } from "../base/clock.ts";
import type { KubeClient } from "./client.ts";
import type { ConnectionConfig } from "./connection_config.ts";
import type { WriteGuard } from "./transport/departure.ts";
import type { TransportOptions } from "./transport/request.ts";
import { Transport } from "./transport/transport.ts";
import { TransportClient } from "./transport_client.ts";

export interface KubeClientOptions extends Partial<TransportOptions> {
  clock?: Clock;
  /** @default {"cronjob-controller"} */
  userAgent?: string;
}

/** A client over HTTP that has to be disposed of: that ends all it has under way, watches included. */
export interface HttpKubeClient extends KubeClient, AsyncDisposable {
  /**
   * The same client, connections and lanes included, that calls `guard` immediately before each write leaves. What
   * `guard` throws is thrown by the write, which is then not sent.
   */
  guarded(guard: WriteGuard): KubeClient;
  /** The same client, connections and lanes included, whose user agent names the part of the program that asks. */
  named(component: string): KubeClient;
}

/**
 * Makes a client of the API server that `config` names: watches and reads by Deno's own `fetch`, writes over connections of
 * our own where neither a proxy nor a client certificate is needed (see {@linkcode Pool}).
 *
 * - Requests leave lane by lane, a bounded number at a time (see {@linkcode RequestLanes}).
 * - Reads that are answered 429, or 5xx with `Retry-After`, are tried again for 30 seconds, writes of the lane
 *   `housekeeping` for five. A 401 renews the credential once. Nothing else is retried: what a broken connection means
 *   for a write, only its caller knows, and who writes for one object of many comes back to it when others are served.
 * - An answer that takes longer than `timeoutMs`, or a watch silent for `watchIdleMs`, ends with an `UnreachableError`. A
 *   watch whose connection seems to be dead ends earlier, without an error, as if the server had ended it (see
 *   {@linkcode Exchanges}).
 * - Everything goes out over HTTP/1.1 (see {@linkcode Connections}).
 */
export function createKubeClient(config: ConnectionConfig, options: KubeClientOptions = {}): HttpKubeClient {
  const transport = new Transport(config, {
    ...options,
    clock: options.clock ?? new SystemClock(),
    userAgent: options.userAgent ?? "cronjob-controller",
  });
  return new TransportClient(transport, {});
}
