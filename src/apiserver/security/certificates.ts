import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { join } from "node:path";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { ServerError } from "../errors.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { writePrivateFile } from "../storage/data_dir.ts";

const DAY_MS = 86_400_000;
const CA_LIFE_MS = 3_650 * DAY_MS;
const SERVER_LIFE_MS = 365 * DAY_MS;
/** A server certificate is renewed when less than this is left of it. */
export const RENEW_BEFORE_MS = 90 * DAY_MS;

const KEY_ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING_ALGORITHM = { name: "ECDSA", hash: "SHA-256" };
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

/** What a TLS server needs, as PEM. */
export interface ServerCertificate {
  readonly caCertificate: string;
  readonly certificate: string;
  readonly privateKey: string;
  readonly expiresAt: EpochMs;
}

/**
 * The server's certificate out of `dir`, made if it is not there and renewed if it runs out soon. Its CA is made once and
 * stays, so that kubeconfigs stay valid; a CA that has run out is an error, since only new kubeconfigs help then.
 *
 * @throws {ServerError} when the CA has expired or a file cannot be read or written
 */
export async function serverCertificate(dir: string, now: EpochMs): Promise<ServerCertificate> {
  const ca = await loadOrCreate(join(dir, "ca"), () => createAuthority(now));
  if (ca.certificate.notAfter.getTime() <= now) {
    throw new ServerError(
      `Cannot serve: the CA certificate ${join(dir, "ca.crt")} expired at ${ca.certificate.notAfter.toISOString()}. ` +
        `Delete the directory ${dir} to have a new one made, and use the new kubeconfig`,
    );
  }
  const path = join(dir, "server");
  let server = await loadOrCreate(path, () => createServer(ca, now));
  const signed = await server.certificate.verify({ publicKey: ca.certificate, signatureOnly: true });
  if (!signed || server.certificate.notAfter.getTime() - now < RENEW_BEFORE_MS) {
    server = await createServer(ca, now);
    save(path, server);
  }
  return {
    caCertificate: ca.certificate.toString("pem"),
    certificate: server.certificate.toString("pem"),
    privateKey: server.privateKey,
    expiresAt: server.certificate.notAfter.getTime(),
  };
}

interface Identity {
  readonly certificate: x509.X509Certificate;
  /** PKCS #8 as PEM. */
  readonly privateKey: string;
}

async function createAuthority(now: EpochMs): Promise<Identity> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: "CN=cronjob-controller CA",
    // A little in the past: clocks of client and server need not agree to the second.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + CA_LIFE_MS),
    signingAlgorithm: SIGNING_ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate, privateKey: await exportKey(keys) };
}

async function createServer(ca: Identity, now: EpochMs): Promise<Identity> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: "CN=cronjob-controller",
    issuer: ca.certificate.subject,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(Math.min(now + SERVER_LIFE_MS, ca.certificate.notAfter.getTime())),
    signingAlgorithm: SIGNING_ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.privateKey),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
        { type: "ip", value: "::1" },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(ca.certificate),
    ],
  });
  return { certificate, privateKey: await exportKey(keys) };
}

async function loadOrCreate(path: string, create: () => Promise<Identity>): Promise<Identity> {
  try {
    const privateKey = Deno.readTextFileSync(`${path}.key`);
    return { certificate: new x509.X509Certificate(Deno.readTextFileSync(`${path}.crt`)), privateKey };
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
  writePrivateFile(`${path}.crt`, `${identity.certificate.toString("pem")}\n`);
  writePrivateFile(`${path}.key`, identity.privateKey);
}

async function newKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(KEY_ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

async function exportKey(keys: CryptoKeyPair): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY")}\n`;
}

async function importKey(pem: string): Promise<CryptoKey> {
  return await crypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), KEY_ALGORITHM, false, ["sign"]);
}

/** Positive, as X.509 wants it. */
function newSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] &= 0x7f;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
