import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import type { HttpsServer } from "../http/https_server.ts";
import { RENEW_BEFORE_MS, serverCertificate } from "./certificates.ts";

const log = loggerFor("apiserver", "certificates");

const RETRY_MS = 3_600_000;

/** Renews the certificate of a server that runs for longer than its certificate, until the result is disposed of. */
export function keepCertificate(dir: string, clock: Clock, server: HttpsServer, expiresAt: EpochMs): Disposable {
  const renewAt = (at: EpochMs) => clock.schedule(at, () => void renew());
  let isOver = false;
  let timer = renewAt(expiresAt - RENEW_BEFORE_MS + 1);
  async function renew(): Promise<void> {
    let next = clock.now() + RETRY_MS;
    try {
      const certificate = await serverCertificate(dir, clock.now());
      await server.renew(certificate);
      log.info("Renewed the server certificate");
      next = certificate.expiresAt - RENEW_BEFORE_MS + 1;
    } catch (error) {
      log.warn("Cannot renew the server certificate: {error}", { error });
    }
    if (!isOver) timer = renewAt(next);
  }
  return {
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}
