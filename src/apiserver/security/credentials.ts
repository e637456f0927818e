import { ServerError } from "../errors.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { writePrivateFile } from "../storage/data_dir.ts";

/** Returns the administrator's token out of a file, which is made at first use. */
export function administratorToken(path: string): string {
  try {
    const token = Deno.readTextFileSync(path).trim();
    if (token) return token;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      throw new ServerError(`Cannot read token ${path}: ${messageOf(error)}`, { cause: error });
    }
  }
  const token = newToken();
  writePrivateFile(path, `${token}\n`);
  return token;
}

function newToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
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
  try {
    writePrivateFile(path, `${JSON.stringify(config, null, 2)}\n`);
  } catch (error) {
    throw new ServerError(`Cannot write kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  }
}
