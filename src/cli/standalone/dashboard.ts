import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { type ListenAddress, ListenError } from "../../telemetry/listen_address.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { listenBy } from "../flags/listen.ts";
import { writeLinkKey } from "../shared/link_key.ts";
import { VERSION } from "../version.ts";
import type { StandaloneOptions } from "./standalone_options.ts";

export interface OpenDashboard {
  readonly part: Runnable;
  /** A new link, by which one person can come in once. */
  link(): string;
}

const BY_DEFAULT: ListenAddress = { hostname: "127.0.0.1", port: 6445 };

/** Opens the dashboard, which nothing is loaded of where there is to be none. */
export async function openDashboard(
  { dashboardAddress }: Pick<StandaloneOptions, "dashboardAddress">,
  { client, clock, server, dataDir }: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly server: string;
    readonly dataDir: string;
  },
): Promise<OpenDashboard | undefined> {
  const address = dashboardAddress ?? BY_DEFAULT;
  if (address === "none") return undefined;
  const [{ openLocalDashboard }, { HISTORY_PAGE_COMMANDS: commands }] = await Promise.all([
    import("../../dashboard/open_local.ts"),
    import("../shared/page_commands.ts"),
  ]);
  const session = { isReadOnly: false, server, namespaces: [], version: VERSION };
  try {
    const { dashboard, link, key } = listenBy(
      "--dashboard-address",
      () => openLocalDashboard({ client, clock, address, session, commands }),
    );
    writeLinkKey(dataDir, key);
    return { part: dashboard, link };
  } catch (error) {
    if (dashboardAddress !== undefined || !(error instanceof Error && error.cause instanceof ListenError)) throw error;
    // A second standalone beside the first one works without.
    loggerFor("dashboard").warn("No dashboard: {error}", { error: error.message });
    return undefined;
  }
}
