import { X509Certificate } from "node:crypto";
import { dirname, join } from "node:path";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { attempt, ServerError } from "../errors.ts";
import { readIfThere, writePrivateFile } from "../storage/data_dir.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { Identity } from "./certificate_maker.ts";

const DAY_MS = 86_400_000;
/** A server certificate is renewed when less than this is left of it. */
export const RENEW_BEFORE_MS = 90 * DAY_MS;

/** The key and certificates of a TLS server, as PEM. */
export interface ServerCertificate extends Identity {
  readonly caCertificate: string;
  readonly expiresAt: EpochMs;
}

/**
 * Returns the server's certificate out of `dir`, made if it is not there and renewed if it runs out soon or is not valid yet. Its CA is made
 * once and stays, so that kubeconfigs stay valid; a CA that has run out is an error, since only new kubeconfigs help then.
 *
 * @throws {ServerError} when the CA has expired, or is not valid yet, or a file cannot be read or written
 */
export async function serverCertificate(dir: string, now: EpochMs): Promise<ServerCertificate> {
  const ca = await loadOrCreate(join(dir, "ca"), async () => (await maker()).createAuthority(now));
  const authority = new X509Certificate(ca.certificate);
  const isTooNew = startOf(authority) > now;
  if (isTooNew || endOf(authority) <= now) {
    const trouble = isTooNew
      ? `is not valid before ${formatTime(startOf(authority))}. Set this machine's clock if it is wrong; else delete`
      : `expired at ${formatTime(endOf(authority))}. Delete`;
    throw new ServerError(
      `Cannot serve: the CA certificate ${join(dir, "ca.crt")} ${trouble} ` +
        `the directory ${dir} to have a new one made, and use the new kubeconfig`,
    );
  }
  const path = join(dir, "server");
  const createServer = async () => (await maker()).createServer(ca, now);
  let server = await loadOrCreate(path, createServer);
  const certificate = new X509Certificate(server.certificate);
  const isOutOfDate = startOf(certificate) > now || endOf(certificate) - now < RENEW_BEFORE_MS;
  if (isOutOfDate || !certificate.verify(authority.publicKey)) {
    server = await createServer();
    save(path, server);
  }
  return { ...server, caCertificate: ca.certificate, expiresAt: endOf(new X509Certificate(server.certificate)) };
}

/** The maker of certificates takes 10 MB, and is needed once a year. */
async function maker(): Promise<typeof import("./certificate_maker.ts")> {
  return await import("./certificate_maker.ts");
}

function startOf({ validFrom }: X509Certificate): EpochMs {
  return Date.parse(validFrom);
}

function endOf({ validTo }: X509Certificate): EpochMs {
  return Date.parse(validTo);
}

async function loadOrCreate(path: string, create: () => Promise<Identity>): Promise<Identity> {
  const known = attempt(`Cannot read certificate ${path}.crt or its key`, () => {
    const privateKey = readIfThere(`${path}.key`), certificate = readIfThere(`${path}.crt`);
    return privateKey !== undefined && certificate !== undefined &&
      { certificate: parsed(certificate, dirname(path)).toString().trim(), privateKey };
  });
  if (known) return known;
  const identity = await create();
  save(path, identity);
  return identity;
}

function parsed(certificate: string, dir: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (cause) {
    const remedy = `Delete the directory ${dir} to have new ones made, and use the new kubeconfig`;
    throw new Error(`it is damaged (${messageOf(cause)}). ${remedy}`, { cause });
  }
}

function save(path: string, identity: Identity): void {
  Deno.mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  // The key last: a pair without it is not there.
  writePrivateFile(`${path}.crt`, `${identity.certificate}\n`);
  writePrivateFile(`${path}.key`, identity.privateKey);
}
