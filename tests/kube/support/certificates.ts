// Its dependency injection looks for this as it is loaded.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const LIFE_MS = 3_600_000;

/** A certificate and its key, both PEM. */
export interface Pair {
  certificate: string;
  key: string;
}

/** A certificate authority for one test. All certificates are v3: Deno 2.7 cannot take others as client certificates. */
export class TestCa {
  readonly certificate: string;
  readonly #issuer: x509.X509Certificate;
  readonly #keys: CryptoKeyPair;

  private constructor(issuer: x509.X509Certificate, keys: CryptoKeyPair) {
    this.#issuer = issuer;
    this.#keys = keys;
    this.certificate = issuer.toString("pem");
  }

  static async make(name = "test CA"): Promise<TestCa> {
    const keys = await generateKeys();
    const issuer = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      ...validity(),
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new TestCa(issuer, keys);
  }

  /** For a server at 127.0.0.1 and localhost. */
  issueServer(): Promise<Pair> {
    return this.#issue("test server", x509.ExtendedKeyUsage.serverAuth, [
      new x509.SubjectAlternativeNameExtension([
        { type: "ip", value: "127.0.0.1" },
        { type: "dns", value: "localhost" },
      ]),
    ]);
  }

  issueClient(name: string): Promise<Pair> {
    return this.#issue(name, x509.ExtendedKeyUsage.clientAuth, []);
  }

  async #issue(name: string, usage: x509.ExtendedKeyUsage, extensions: x509.Extension[]): Promise<Pair> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: this.#issuer.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...validity(),
      extensions: [new x509.ExtendedKeyUsageExtension([usage]), ...extensions],
    });
    const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
    return { certificate: certificate.toString("pem"), key };
  }
}

function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - LIFE_MS), notAfter: new Date(Date.now() + LIFE_MS) };
}
