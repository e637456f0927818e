import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { type EpochMs, formatTime } from "../../schedule/epoch_ms.ts";
import { ServerError } from "../errors.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { writePrivateFile } from "../storage/data_dir.ts";
import type { Identity } from "./certificate_maker.ts";

const DAY_MS = 86_400_000;
/** A server certificate is renewed when less than this is left of it. */
export const RENEW_BEFORE_MS = 90 * DAY_MS;

/** What a TLS server needs, as PEM. */
export interface ServerCertificate {
  readonly caCertificate: string;
  readonly certificate: string;
  readonly privateKey: string;
  readonly expiresAt: EpochMs;
}

/**
 * Returns the server's certificate out of `dir`, made if it is not there and renewed if it runs out soon. Its CA is made
 * once and stays, so that kubeconfigs stay valid; a CA that has run out is an error, since only new kubeconfigs help then.
 *
 * @throws {ServerError} when the CA has expired or a file cannot be read or written
 */
export async function serverCertificate(dir: string, now: EpochMs): Promise<ServerCertificate> {
  const ca = await loadOrCreate(join(dir, "ca"), async () => (await maker()).createAuthority(now));
  const authority = new X509Certificate(ca.certificate);
  if (endOf(authority) <= now) {
    throw new ServerError(
      `Cannot serve: the CA certificate ${join(dir, "ca.crt")} expired at ${formatTime(endOf(authority))}. ` +
        `Delete the directory ${dir} to have a new one made, and use the new kubeconfig`,
    );
  }
  const path = join(dir, "server");
  const createServer = async () => (await maker()).createServer(ca, now);
  let server = await loadOrCreate(path, createServer);
  const certificate = new X509Certificate(server.certificate);
  if (!certificate.verify(authority.publicKey) || endOf(certificate) - now < RENEW_BEFORE_MS) {
    server = await createServer();
    save(path, server);
  }
  return {
    caCertificate: ca.certificate,
    certificate: server.certificate,
    privateKey: server.privateKey,
    expiresAt: endOf(new X509Certificate(server.certificate)),
  };
}

/** What makes certificates takes 10 MB, and is needed once a year. */
async function maker(): Promise<typeof import("./certificate_maker.ts")> {
  return await import("./certificate_maker.ts");
}

function endOf({ validTo }: X509Certificate): EpochMs {
  return Date.parse(validTo);
}

async function loadOrCreate(path: string, create: () => Promise<Identity>): Promise<Identity> {
  try {
    const privateKey = Deno.readTextFileSync(`${path}.key`);
    return { certificate: new X509Certificate(Deno.readTextFileSync(`${path}.crt`)).toString().trim(), privateKey };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      throw new ServerError(`Cannot read certificate ${path}.crt or its key: ${messageOf(error)}`, { cause: error });
    }
  }
  const identity = await create();
  save(path, identity);
  return identity;
}

function save(path: string, identity: Identity): void {
  Deno.mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  // The key last: a pair without it is not there.
  writePrivateFile(`${path}.crt`, `${identity.certificate}\n`);
  writePrivateFile(`${path}.key`, identity.privateKey);
}
