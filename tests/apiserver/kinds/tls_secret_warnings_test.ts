import { assertEquals } from "@std/assert";
import { tlsWarnings } from "../../../src/apiserver/kinds/tls_secret_warnings.ts";
import { test } from "../../support/test.ts";
import { inProportion } from "../support/in_proportion.ts";

const NO_PEM = ["tls: failed to find any PEM data in certificate input"];
const skipping = (types: string) => [
  'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ' +
  `[${types}]`,
];

const CERTIFICATES: [string, string, string[]][] = [
  ["no block", "hello", NO_PEM],
  ["a block that does not end", "-----BEGIN CERTIFICATE-----\nx\n", NO_PEM],
  ["a block that ends as another type", "-----BEGIN CERTIFICATE-----\n-----END A-----\n", NO_PEM],
  [
    "two blocks of other types",
    "-----BEGIN A-----\n-----END A-----\nx\n-----BEGIN B-----\r\n-----END B-----",
    skipping("A B"),
  ],
  [
    "a block within one that does not end",
    "-----BEGIN CERTIFICATE-----\n-----BEGIN A-----\n-----END A-----\n",
    skipping("A"),
  ],
];

for (const [title, certificate, warnings] of CERTIFICATES) {
  test(`a TLS Secret with ${title} for a certificate is warned of`, () =>
    assertEquals(warningsOf(certificate), warnings));
}

test("any number of blocks that do not end is gone through in time that grows with it", () => {
  const warnings = inProportion(5_000, (size) => {
    const certificate = "-----BEGIN A-----\n".repeat(size);
    return () => warningsOf(certificate);
  });
  assertEquals(warnings, NO_PEM);
});

function warningsOf(certificate: string): string[] {
  return tlsWarnings({ type: "kubernetes.io/tls", data: { "tls.crt": btoa(certificate) } });
}
