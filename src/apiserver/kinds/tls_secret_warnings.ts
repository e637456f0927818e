import type { Json } from "../resource_kind.ts";

/** Go's `tls.X509KeyPair`, as far as it looks for blocks of PEM: what they hold is not looked at. */
export function tlsWarnings({ type, data = {} }: Json): string[] {
  if (type !== "kubernetes.io/tls") return [];
  const certificates = blockTypes(data["tls.crt"]), keys = blockTypes(data["tls.key"]);
  const problem = certificates.includes("CERTIFICATE")
    ? !keys.some(isPrivateKey) && keyProblem(keys)
    : certificateProblem(certificates);
  return problem ? [problem] : [];
}

function isPrivateKey(type: string): boolean {
  return type.endsWith("PRIVATE KEY");
}

function certificateProblem(skipped: readonly string[]): string {
  if (skipped.length === 0) return "tls: failed to find any PEM data in certificate input";
  return skipped.length === 1 && skipped.every(isPrivateKey)
    ? "tls: failed to find certificate PEM data in certificate input, but did find a private key; " +
      "PEM inputs may have been switched"
    : 'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following ' +
      `types: [${skipped.join(" ")}]`;
}

function keyProblem(skipped: readonly string[]): string {
  if (skipped.length === 0) return "tls: failed to find any PEM data in key input";
  return skipped.length === 1 && skipped[0] === "CERTIFICATE"
    ? "tls: found a certificate rather than a key in the PEM for the private key"
    : 'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the ' +
      `following types: [${skipped.join(" ")}]`;
}

/** A block ends by the first END after its BEGIN, or is none. */
function blockTypes(base64 = ""): string[] {
  const types: string[] = [];
  let open: string | undefined;
  for (const line of atob(base64.replaceAll(/\s/g, "")).split("\n")) {
    const [, edge, type] = /^-----(BEGIN|END) (.*)-----\s*$/.exec(line) ?? [];
    if (edge === "END" && type !== undefined && type === open) types.push(type);
    if (edge) open = edge === "BEGIN" ? type : undefined;
  }
  return types;
}
