import type { PodLogSource } from "../../../src/apiserver/pod_logs.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { loadConnection } from "../../../src/kube/connection.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { COMPILED, Standalone, temporaryFolder } from "../../support/program.ts";

/** An API server for kubectl and other clients. */
export interface Api extends AsyncDisposable {
  readonly kubeconfigPath: string;
  /** The administrator's. */
  readonly client: HttpKubeClient;
}

/** The API server alone: of the compiled program where that is under test, else in this process, which is sooner there. */
export async function startApi(): Promise<Api> {
  return COMPILED ? await startProgram("gc") : await startTestApi();
}

/** The API server alone, in this process. */
export async function startTestApi(options: { podLogs?: PodLogSource } = {}): Promise<Api> {
  const api = await startTestApiServer(options);
  const { server, client } = api;
  return {
    kubeconfigPath: server.kubeconfigPath,
    client,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

/** The program's `standalone` with these controllers, on a data dir of its own. */
export async function startProgram(controllers: string): Promise<Api> {
  const folder = await temporaryFolder();
  const standalone = await Standalone.start(`${folder.path}/data`, ["--controllers", controllers]);
  const client = HttpKubeClient.to(await loadConnection({ kubeconfig: standalone.kubeconfig }));
  return {
    kubeconfigPath: standalone.kubeconfig,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await standalone[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
