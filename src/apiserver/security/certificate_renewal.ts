import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import type { HttpsServer } from "../http/https_server.ts";
import { RENEW_BEFORE_MS, serverCertificate } from "./certificates.ts";

const log = loggerFor("apiserver", "certificates");

const RETRY_MS = 3_600_000;

/** Renews the certificate of a server that runs for longer than its certificate. */
export class CertificateRenewal implements Disposable {
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #server: HttpsServer;
  #timer: Disposable;
  #disposed = false;

  constructor(dir: string, clock: Clock, server: HttpsServer, expiresAt: number) {
    this.#dir = dir;
    this.#clock = clock;
    this.#server = server;
    this.#timer = this.#schedule(expiresAt - RENEW_BEFORE_MS + 1);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#timer[Symbol.dispose]();
  }

  #schedule(at: number): Disposable {
    return this.#clock.schedule(at, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    let next = this.#clock.now() + RETRY_MS;
    try {
      const certificate = await serverCertificate(this.#dir, this.#clock.now());
      await this.#server.renew(certificate);
      log.info("Renewed the server certificate");
      next = certificate.expiresAt - RENEW_BEFORE_MS + 1;
    } catch (error) {
      log.warn("Cannot renew the server certificate: {error}", { error });
    }
    if (!this.#disposed) this.#timer = this.#schedule(next);
  }
}
