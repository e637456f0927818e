import type { KubeClient } from "../kube/client.ts";
import { formatListenAddress, type ListenAddress } from "../telemetry/listen_address.ts";
import { LOOPBACK_NAMES } from "./guards.ts";
import { LocalVisitors } from "./local_visitors.ts";
import { Dashboard, type DashboardOptions } from "./server.ts";

export interface LocalDashboardOptions extends Pick<DashboardOptions, "clock" | "session" | "commands"> {
  /** Of the user who started the program: a visitor by a link of it asks in their name. */
  readonly client: KubeClient;
  /** On loopback. */
  readonly address: ListenAddress;
}

export interface LocalDashboard {
  readonly dashboard: Dashboard;
  /** A new link, by which one person can come in once. */
  link(): string;
}

/**
 * Opens a dashboard for who started the program, on this machine only.
 *
 * @throws {ListenError}
 */
export function openLocalDashboard(
  { client, clock, address, session, commands }: LocalDashboardOptions,
): LocalDashboard {
  let visitors: LocalVisitors | undefined;
  const serve = (port: number) => {
    visitors = new LocalVisitors({ client, clock, port });
    return { visitors, hosts: { names: LOOPBACK_NAMES, port, protocol: "http:" as const } };
  };
  const dashboard = new Dashboard({ clock, address, serve, session, commands });
  const at = formatListenAddress({ ...address, port: dashboard.port });
  return { dashboard, link: () => `http://${at}/#code=${visitors!.codes.issue()}` };
}
