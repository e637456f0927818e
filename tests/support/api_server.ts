import { serverCertificate } from "../../src/apiserver/security/certificates.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../../src/apiserver/server.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { auditLogPath } from "./audit.ts";

export interface TestApiServer extends AsyncDisposable {
  readonly server: ApiServer;
  /** The administrator's. */
  readonly client: HttpKubeClient;
  readonly dataDir: string;
}

/**
 * Our own API server in this process, on any free port and a directory of its own that goes away with it. Whatever its clock
 * says, its certificate is valid today: clients go by the real date.
 */
export async function startTestApiServer(options: Partial<ApiServerOptions> = {}): Promise<TestApiServer> {
  const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "cronjob-controller-test-" });
  if (options.clock) await serverCertificate(`${dataDir}/pki`, Date.now());
  const server = await startApiServer({ auditLogPath: auditLogPath(), ...options, dataDir });
  const client = HttpKubeClient.to({
    server: server.url,
    caCertificates: [server.caCertificate],
    token: server.token,
  });
  return {
    server,
    client,
    dataDir,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server.close();
      if (!options.dataDir) await Deno.remove(dataDir, { recursive: true });
    },
  };
}
