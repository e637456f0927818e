import type { KubeClient } from "../kube/client.ts";
import { formatListenAddress } from "../telemetry/listen_address.ts";
import { LOOPBACK_NAMES } from "./http/guards.ts";
import { LocalVisitors } from "./visitors/local_visitors.ts";
import { Dashboard, type DashboardOptions } from "./server.ts";

export interface LocalDashboardOptions extends Omit<DashboardOptions, "serve"> {
  /** Of the user who started the program: a visitor by a link of it asks in their name. */
  readonly client: KubeClient;
}

/** With which `POST /api/link` makes links to a page while its program runs. */
export interface LinkKey {
  readonly origin: string;
  readonly secret: string;
}

/**
 * Opens a dashboard on loopback for who started the program. By each new link one person can come in once.
 *
 * @throws {ListenError}
 */
export function openLocalDashboard({ client, ...options }: LocalDashboardOptions) {
  const { clock, address } = options;
  let visitors: LocalVisitors | undefined;
  const serve = (port: number) => {
    visitors = new LocalVisitors({ client, clock, port });
    return { visitors, hosts: { names: LOOPBACK_NAMES, port, protocol: "http:" as const } };
  };
  const dashboard = new Dashboard({ ...options, serve });
  const origin = `http://${formatListenAddress({ ...address, port: dashboard.port })}`;
  const { codes, secret } = visitors!;
  const key: LinkKey = { origin, secret };
  return { dashboard, key, link: () => linkTo(origin, codes.issue()) };
}

/** Asks a page that runs for a new link. @throws {Error} where no page answers, or it is another one */
export async function askForLink({ origin, secret }: LinkKey, signal: AbortSignal): Promise<string> {
  const headers = { origin, "content-type": "application/json" };
  const body = JSON.stringify({ secret });
  const response = await fetch(`${origin}/api/link`, { method: "POST", headers, body, signal, redirect: "error" });
  const { code, message } = await response.json();
  if (typeof code !== "string") throw new Error(String(message));
  return linkTo(origin, code);
}

function linkTo(origin: string, code: string): string {
  return `${origin}/#code=${code}`;
}
