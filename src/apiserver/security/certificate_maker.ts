import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { EpochMs } from "../../base/epoch_ms.ts";

const DAY_MS = 86_400_000;
const CA_LIFE_MS = 3_650 * DAY_MS;
const SERVER_LIFE_MS = 365 * DAY_MS;

const KEY_ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING_ALGORITHM = { name: "ECDSA", hash: "SHA-256" };
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

/** A certificate and its key, as PEM; the key is PKCS #8. */
export interface Identity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Makes a CA of its own. */
export async function createAuthority(now: EpochMs): Promise<Identity> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: "CN=cronjob-controller CA",
    // It is made once, perhaps by a clock that is ahead and is set right afterwards.
    notBefore: new Date(0),
    notAfter: new Date(now + CA_LIFE_MS),
    signingAlgorithm: SIGNING_ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys) };
}

/** Makes a certificate for an API server on loopback, which ends no later than its CA's. */
export async function createServer(ca: Identity, now: EpochMs): Promise<Identity> {
  const authority = new x509.X509Certificate(ca.certificate);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: "CN=cronjob-controller",
    issuer: authority.subject,
    // A little in the past: clocks of client and server need not agree to the second.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(Math.min(now + SERVER_LIFE_MS, authority.notAfter.getTime())),
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
      await x509.AuthorityKeyIdentifierExtension.create(authority),
    ],
  });
  return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys) };
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
  bytes[0]! &= 0x7f;
  return bytes.toHex();
}
