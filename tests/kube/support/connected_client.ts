import { HttpKubeClient, type KubeClientOptions } from "../../../src/kube/http_client.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import { type ScriptedServer, stored } from "./scripted_server.ts";

export const JOBS_PATH = "/apis/batch/v1/namespaces/default/jobs";

export function job(name: string, more: Record<string, unknown> = {}): Job {
  return { ...stored(JOBS, name), ...more };
}

/** Without the probes. */
export function posts(server: ScriptedServer): number {
  return server.requests.filter(({ method }) => method === "POST").length;
}

export function connect(server: ScriptedServer, options: KubeClientOptions = {}) {
  return HttpKubeClient.to({ server: server.url, token: "secret" }, options);
}

export async function collect(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const event of events) found.push(event);
  return found;
}
