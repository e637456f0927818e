import { X509Certificate } from "node:crypto";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import {
  bitString,
  type Der,
  der,
  explicitTag,
  implicitTag,
  objectIdentifier,
  sequence,
  TAGS,
  time,
  unsignedInteger,
  utf8String,
  valuesIn,
} from "./der.ts";

const DAY_MS = 86_400_000;
const CA_LIFE_MS = 3_650 * DAY_MS;
const SERVER_LIFE_MS = 365 * DAY_MS;

const KEY_ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING_ALGORITHM = { name: "ECDSA", hash: "SHA-256" };

const ECDSA_WITH_SHA256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const COMMON_NAME = objectIdentifier("2.5.4.3");
const SERVER_AUTH = objectIdentifier("1.3.6.1.5.5.7.3.1");
const SUBJECT_KEY_IDENTIFIER = objectIdentifier("2.5.29.14");
const KEY_USAGE = objectIdentifier("2.5.29.15");
const SUBJECT_ALTERNATIVE_NAME = objectIdentifier("2.5.29.17");
const BASIC_CONSTRAINTS = objectIdentifier("2.5.29.19");
const AUTHORITY_KEY_IDENTIFIER = objectIdentifier("2.5.29.35");
const EXTENDED_KEY_USAGE = objectIdentifier("2.5.29.37");

const TRUE = der(TAGS.boolean, [0xff]);
const KEY_CERT_SIGN_AND_CRL_SIGN = bitString([0b0000_0110], 1);
const DIGITAL_SIGNATURE = bitString([0b1000_0000], 7);

/** A certificate and its key, as PEM; the key is PKCS #8. */
export interface Identity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** What the certificate of an issuer says that is in those it signs. */
interface Issuer {
  readonly name: Der;
  readonly keyIdentifier: Der | undefined;
}

/** Makes a CA of its own. */
export async function createAuthority(now: EpochMs): Promise<Identity> {
  const { privateKey, publicKey } = await newKeys();
  const spki = await exportDer("spki", publicKey);
  const name = nameOf("cronjob-controller CA");
  const certificate = await signed(privateKey, {
    issuer: name,
    // A little in the past: clocks of client and server need not agree to the second.
    notBefore: now - DAY_MS,
    notAfter: now + CA_LIFE_MS,
    subject: name,
    spki,
    extensions: [
      critical(BASIC_CONSTRAINTS, sequence(TRUE, unsignedInteger([0]))),
      critical(KEY_USAGE, KEY_CERT_SIGN_AND_CRL_SIGN),
      extension(SUBJECT_KEY_IDENTIFIER, der(TAGS.octetString, await keyIdentifierOf(spki))),
    ],
  });
  return { certificate, privateKey: await exportKey(privateKey) };
}

/** Makes a certificate for an API server on loopback, which ends no later than its CA's. */
export async function createServer(ca: Identity, now: EpochMs): Promise<Identity> {
  const authority = new X509Certificate(ca.certificate);
  const { name, keyIdentifier } = issuerOf(Uint8Array.from(authority.raw));
  const { privateKey, publicKey } = await newKeys();
  const certificate = await signed(await importKey(ca.privateKey), {
    issuer: name,
    notBefore: now - DAY_MS,
    notAfter: Math.min(now + SERVER_LIFE_MS, Date.parse(authority.validTo)),
    subject: nameOf("cronjob-controller"),
    spki: await exportDer("spki", publicKey),
    extensions: [
      critical(BASIC_CONSTRAINTS, sequence()),
      critical(KEY_USAGE, DIGITAL_SIGNATURE),
      extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTH)),
      extension(
        SUBJECT_ALTERNATIVE_NAME,
        sequence(
          der(implicitTag(2), new TextEncoder().encode("localhost")),
          der(implicitTag(7), [127, 0, 0, 1]),
          der(implicitTag(7), [...new Array<number>(15).fill(0), 1]),
        ),
      ),
      ...keyIdentifier ? [extension(AUTHORITY_KEY_IDENTIFIER, sequence(der(implicitTag(0), keyIdentifier)))] : [],
    ],
  });
  return { certificate, privateKey: await exportKey(privateKey) };
}

/** Returns a certificate as PEM (RFC 5280, 4.1). */
async function signed(key: CryptoKey, fields: {
  readonly issuer: Der;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  readonly subject: Der;
  readonly spki: Der;
  readonly extensions: readonly Der[];
}): Promise<string> {
  const { issuer, notBefore, notAfter, subject, spki, extensions } = fields;
  const toBeSigned = sequence(
    der(explicitTag(0), unsignedInteger([2])),
    unsignedInteger(newSerialNumber()),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(new Date(notBefore)), time(new Date(notAfter))),
    subject,
    spki,
    der(explicitTag(3), sequence(...extensions)),
  );
  const signature = new Uint8Array(await crypto.subtle.sign(SIGNING_ALGORITHM, key, toBeSigned));
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(unsignedInteger) as [Der, Der];
  return pem("CERTIFICATE", sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(sequence(r, s))));
}

function nameOf(commonName: string): Der {
  return sequence(der(TAGS.set, sequence(COMMON_NAME, utf8String(commonName))));
}

function extension(id: Der, value: Der): Der {
  return sequence(id, der(TAGS.octetString, value));
}

function critical(id: Der, value: Der): Der {
  return sequence(id, TRUE, der(TAGS.octetString, value));
}

/** Clients compare both byte by byte with what the CA's certificate says, of another program's making too. */
function issuerOf(certificate: Der): Issuer {
  const [whole] = valuesIn(certificate);
  const [toBeSigned] = valuesIn(whole!.content);
  const fields = valuesIn(toBeSigned!.content);
  const name = fields[5]!.whole;
  const extensions = fields.find(({ tag }) => tag === explicitTag(3));
  if (!extensions) return { name, keyIdentifier: undefined };
  for (const { content } of valuesIn(valuesIn(extensions.content)[0]!.content)) {
    const parts = valuesIn(content);
    if (!isEqual(parts[0]!.whole, SUBJECT_KEY_IDENTIFIER)) continue;
    return { name, keyIdentifier: valuesIn(parts.at(-1)!.content)[0]!.content };
  }
  return { name, keyIdentifier: undefined };
}

/** Of the key itself, without what says of which kind it is (RFC 5280, 4.2.1.2). */
async function keyIdentifierOf(spki: Der): Promise<Der> {
  const [, key] = valuesIn(valuesIn(spki)[0]!.content);
  return new Uint8Array(await crypto.subtle.digest("SHA-1", key!.content.subarray(1)));
}

function isEqual(a: Der, b: Der): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

async function newKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(KEY_ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

async function exportDer(format: "pkcs8" | "spki", key: CryptoKey): Promise<Der> {
  return new Uint8Array(await crypto.subtle.exportKey(format, key));
}

async function exportKey(key: CryptoKey): Promise<string> {
  return `${pem("PRIVATE KEY", await exportDer("pkcs8", key))}\n`;
}

async function importKey(text: string): Promise<CryptoKey> {
  const base64 = text.replace(/-----[A-Z ]+-----|\s+/g, "");
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return await crypto.subtle.importKey("pkcs8", bytes, KEY_ALGORITHM, false, ["sign"]);
}

function pem(label: string, bytes: Der): string {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g)!;
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join("\n");
}

/** At most 20 bytes, positive and not 0, as X.509 wants it. */
function newSerialNumber(): Der {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = bytes[0]! & 0x7f | 0x40;
  return bytes;
}
