import type { ConnectionConfig } from "./connection_config.ts";
import type { ClientCertificate } from "./credentials.ts";

/**
 * Below what API servers and load balancers keep an idle connection for, so that a request rarely meets one that is just
 * being closed; above {@linkcode SILENCE_MS}, so that a probe finds a connection that is as old as the silence.
 */
const POOL_IDLE_MS = 45_000;

/**
 * The connections to one API server, all of them HTTP/1.1: each carries one request at a time, and a watch has its own.
 *
 * Over HTTP/2 all would share one, and there Deno's `fetch` loses streams: a watch beside many writes stops delivering for
 * good, without an error (denoland/deno#21749).
 */
export class Connections {
  readonly #config: ConnectionConfig;
  #caCertificates: readonly string[] | undefined;
  #pool: Deno.HttpClient | undefined;
  #certificate: ClientCertificate | undefined;

  constructor(config: ConnectionConfig) {
    this.#config = config;
    this.#caCertificates = config.caCertificates;
  }

  /** The connections that show this certificate. */
  poolFor(certificate: ClientCertificate | undefined): Deno.HttpClient {
    const known = this.#certificate;
    if (this.#pool && known?.certificate === certificate?.certificate && known?.key === certificate?.key) {
      return this.#pool;
    }
    this.close();
    const caCertificates = this.#caCertificates;
    const { proxyUrl } = this.#config;
    this.#certificate = certificate;
    return this.#pool = Deno.createHttpClient({
      http2: false,
      poolIdleTimeout: POOL_IDLE_MS,
      ...(caCertificates && { caCerts: [...caCertificates] }),
      ...(proxyUrl && { proxy: { url: proxyUrl } }),
      ...(certificate && { cert: certificate.certificate, key: certificate.key }),
    });
  }

  /** The server may have got a certificate of a new CA, which then is in the file: the next request knows it. */
  async renewCaCertificates(): Promise<void> {
    const { caFile } = this.#config;
    if (caFile === undefined) return;
    const text = await Deno.readTextFile(caFile).catch(() => "");
    if (!text.includes("BEGIN CERTIFICATE") || text === this.#caCertificates?.join("")) return;
    this.#caCertificates = [text];
    this.close();
  }

  /** Makes the next request open a connection of its own, if those of `pool` are still the ones in use. */
  abandon(pool: Deno.HttpClient): void {
    if (pool === this.#pool) this.close();
  }

  /** Closes what is idle. Requests under way go on; the next one opens a connection of its own. */
  close(): void {
    this.#pool?.close();
    this.#pool = undefined;
  }
}
