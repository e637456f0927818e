import { type Clock, SystemClock } from "../../src/base/clock.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
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

const ROOT = new URL("../..", import.meta.url).pathname;

/**
 * Our own API server in this process, on any free port and a directory of its own that goes away with it. Whatever its clock
 * says, its certificate is valid today: clients go by the real date.
 */
export async function startTestApiServer(options: Partial<ApiServerOptions> = {}): Promise<TestApiServer> {
  const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "cronjob-controller-test-" });
  if (!options.dataDir) await useCertificates(`${dataDir}/pki`, options.clock ?? new SystemClock());
  else if (options.clock) await serverCertificate(`${dataDir}/pki`, Date.now());
  const server = await startApiServer({
    auditLogPath: auditLogPath(),
    ephemeral: !options.dataDir,
    ...options,
    dataDir,
  });
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

/**
 * Copies certificates there that are as they would be made there by this clock: they are shared by all tests of a day, as
 * making them takes longer than starting a server does.
 */
async function useCertificates(folder: string, clock: Clock): Promise<void> {
  const [today, day] = [Date.now(), clock.now()].map((time) => formatTime(time).slice(0, 10));
  const shared = `${ROOT}dist/test/certificates-${today}-${day}`;
  if (!await Deno.stat(shared).catch(() => undefined)) {
    await Deno.mkdir(`${ROOT}dist/test`, { recursive: true });
    const made = await Deno.makeTempDir({ dir: `${ROOT}dist/test` });
    for (const time of [Date.now(), clock.now()]) await serverCertificate(made, time);
    // Another process may have been quicker.
    await Deno.rename(made, shared).catch(() => Deno.remove(made, { recursive: true }));
  }
  await Deno.mkdir(folder, { mode: 0o700 });
  for await (const { name } of Deno.readDir(shared)) await Deno.copyFile(`${shared}/${name}`, `${folder}/${name}`);
}
