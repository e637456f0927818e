// The library that reads the certificates here looks for this as it is loaded.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createAuthority, createServer, type Identity } from "../../src/apiserver/security/certificate_maker.ts";
import { test } from "../support/test.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

function read({ certificate }: Identity): x509.X509Certificate {
  return new x509.X509Certificate(certificate);
}

function extensionOf<Extension extends x509.Extension>(
  certificate: x509.X509Certificate,
  type: new (raw: BufferSource) => Extension,
): Extension {
  const found = certificate.getExtension(type);
  assert(found, `${type.name} is missing`);
  return found;
}

function keyIdentifierIn(certificate: x509.X509Certificate): string {
  return extensionOf(certificate, x509.SubjectKeyIdentifierExtension).keyId;
}

/** A CA that another program has made. */
async function foreignAuthority(extensions: (keys: CryptoKeyPair) => Promise<x509.Extension[]>): Promise<Identity> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "O=Someone, CN=CA of before",
    notBefore: new Date(NOW),
    notAfter: new Date("2026-03-01T00:00:00Z"),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: await extensions(keys),
  });
  const privateKey = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { certificate: certificate.toString("pem"), privateKey };
}

test("a CA signs itself, for ten years, and may sign servers alone", async () => {
  const ca = read(await createAuthority(NOW));
  assert(await ca.verify({ date: new Date(NOW) }));
  assertEquals([ca.subject, ca.issuer], ["CN=cronjob-controller CA", "CN=cronjob-controller CA"]);
  assertEquals(ca.notBefore.toISOString(), "2025-12-31T00:00:00.000Z");
  assertEquals(ca.notAfter.toISOString(), "2035-12-30T00:00:00.000Z");
  const constraints = extensionOf(ca, x509.BasicConstraintsExtension);
  assertEquals([constraints.ca, constraints.pathLength, constraints.critical], [true, 0, true]);
  const usages = extensionOf(ca, x509.KeyUsagesExtension);
  assertEquals(usages.usages, x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign);
  assert(usages.critical);
  assertEquals(keyIdentifierIn(ca), new Uint8Array(await ca.publicKey.getKeyIdentifier()).toHex());
});

test("a server's certificate is for loopback alone, and is signed by its CA", async () => {
  const authority = await createAuthority(NOW);
  const identity = await createServer(authority, NOW);
  const [ca, server] = [read(authority), read(identity)];
  assert(await server.verify({ publicKey: ca.publicKey, date: new Date(NOW) }));
  assertEquals([server.subject, server.issuer], ["CN=cronjob-controller", ca.subject]);
  assertEquals(server.notBefore.toISOString(), "2025-12-31T00:00:00.000Z");
  assertEquals(server.notAfter.toISOString(), "2027-01-01T00:00:00.000Z");
  const names = extensionOf(server, x509.SubjectAlternativeNameExtension).names.items;
  assertEquals(names.map(({ type, value }) => `${type} ${value}`), ["dns localhost", "ip 127.0.0.1", "ip ::1"]);
  const constraints = extensionOf(server, x509.BasicConstraintsExtension);
  assertEquals([constraints.ca, constraints.critical], [false, true]);
  const usages = extensionOf(server, x509.KeyUsagesExtension);
  assertEquals([usages.usages, usages.critical], [x509.KeyUsageFlags.digitalSignature, true]);
  assertEquals([...extensionOf(server, x509.ExtendedKeyUsageExtension).usages], ["1.3.6.1.5.5.7.3.1"]);
  assertEquals(extensionOf(server, x509.AuthorityKeyIdentifierExtension).keyId, keyIdentifierIn(ca));
  const key = x509.PemConverter.decodeFirst(identity.privateKey);
  assertEquals(
    (await crypto.subtle.importKey("pkcs8", key, ALGORITHM, false, ["sign"])).usages,
    ["sign"],
  );
});

test("serial numbers differ, and are positive", async () => {
  const authority = await createAuthority(NOW);
  const serials = await Promise.all(
    Array.from({ length: 8 }, async () => read(await createServer(authority, NOW)).serialNumber),
  );
  assertEquals(new Set(serials).size, serials.length);
  for (const serial of serials) assertNotEquals(BigInt(`0x${serial}`), 0n);
});

test("a CA that another program has made signs by its own name and key identifier, and not beyond its end", async () => {
  const authority = await foreignAuthority(async ({ publicKey }) => [
    new x509.BasicConstraintsExtension(true, 0, true),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
  ]);
  const [ca, server] = [read(authority), read(await createServer(authority, NOW))];
  assert(await server.verify({ publicKey: ca.publicKey, date: new Date(NOW) }));
  assertEquals(new Uint8Array(server.issuerName.toArrayBuffer()).toHex(), nameBytesOf(ca));
  assertEquals(extensionOf(server, x509.AuthorityKeyIdentifierExtension).keyId, keyIdentifierIn(ca));
  assertEquals(server.notAfter.toISOString(), "2026-03-01T00:00:00.000Z");
});

test("of a CA without a key identifier none is said", async () => {
  for (const extensions of [[], [new x509.BasicConstraintsExtension(true, 0, true)]]) {
    const authority = await foreignAuthority(() => Promise.resolve(extensions));
    const server = read(await createServer(authority, NOW));
    assert(await server.verify({ publicKey: read(authority).publicKey, date: new Date(NOW) }));
    assertEquals(server.getExtension(x509.AuthorityKeyIdentifierExtension), null);
  }
});

function nameBytesOf(certificate: x509.X509Certificate): string {
  return new Uint8Array(certificate.subjectName.toArrayBuffer()).toHex();
}
