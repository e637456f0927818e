import { attempt } from "../errors.ts";
import { readIfThere, writePrivateFile } from "../storage/data_dir.ts";

/** Returns the administrator's token out of a file, which is made at first use. */
export function administratorToken(path: string): string {
  const known = attempt(`Cannot read token ${path}`, () => readIfThere(path)?.trim());
  if (known) return known;
  const token = crypto.getRandomValues(new Uint8Array(32)).toHex();
  writePrivateFile(path, `${token}\n`);
  return token;
}

/** Writes a kubeconfig with one context, readable for its owner only. JSON is YAML too. */
export function writeKubeconfig(
  path: string,
  connection: { server: string; caCertificate: string; token: string },
): void {
  const name = "cronjob-controller";
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{
      name,
      cluster: { server: connection.server, "certificate-authority-data": btoa(connection.caCertificate) },
    }],
    users: [{ name, user: { token: connection.token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    "current-context": name,
  };
  const text = `${JSON.stringify(config, null, 2)}\n`;
  attempt(`Cannot write kubeconfig ${path}`, () => {
    // A file that exists already needs no room on a full disk.
    if (readIfThere(path) !== text) writePrivateFile(path, text);
  });
}
