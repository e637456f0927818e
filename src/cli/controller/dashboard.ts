import type { ConnectionConfig } from "../../kube/connection_config.ts";
import type { Clock } from "../../base/clock.ts";
import type { ClusterArchive } from "../../run_archive/cluster_archive.ts";
import type { ServingProgram } from "../../dashboard/rows/row_feed.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { formatListenAddress, ListenError } from "../../telemetry/listen_address.ts";
import { ConfigError } from "../errors.ts";
import { bothOf } from "../flags/options.ts";
import { isLoopback, listenBy } from "../flags/listen.ts";
import { readSecretFile } from "../shared/secret_file.ts";
import { VERSION } from "../version.ts";
import type { ControllerOptions } from "./controller_options.ts";

type DashboardOptions = Pick<
  ControllerOptions,
  "dashboardBindAddress" | "dashboardTlsCertFile" | "dashboardTlsKeyFile" | "namespace"
>;

/** Opens the dashboard, which nothing is loaded of where there is to be none. */
export async function openDashboard(
  options: DashboardOptions,
  { connection, clock, program, archive }: {
    readonly connection: ConnectionConfig;
    readonly clock: Clock;
    readonly program: ServingProgram;
    /** Undefined where no history is kept. */
    readonly archive: ClusterArchive | undefined;
  },
): Promise<Runnable | undefined> {
  const { dashboardBindAddress: address, namespace: namespaces } = options;
  const tls = await readTls(options);
  if (address === "none") return undefined;
  if (tls === undefined && !isLoopback(address)) {
    throw new ConfigError(
      `--dashboard-bind-address ${formatListenAddress(address)} would send people's tokens in the clear: give ` +
        "--dashboard-tls-cert-file and --dashboard-tls-key-file, or serve it on 127.0.0.1 and use kubectl port-forward",
    );
  }
  const [{ openTokenDashboard }, { BUSY_PAGE_COMMANDS }, { historyFor }] = await Promise.all([
    import("../../dashboard/open_for_tokens.ts"),
    import("../shared/page_commands.ts"),
    import("./dashboard_history.ts"),
  ]);
  const session = { isReadOnly: false, server: connection.server, namespaces, version: VERSION };
  const userAgent = `cronjob-controller/${VERSION} dashboard`;
  const commands = { ...BUSY_PAGE_COMMANDS, history: archive && historyFor(archive, clock) };
  const about = { connection, clock, address, tls, session, commands, userAgent, program };
  return listenBy("--dashboard-bind-address", () => {
    try {
      return openTokenDashboard(about);
    } catch (error) {
      if (error instanceof ListenError) throw error;
      throw new ConfigError(`Cannot serve the dashboard: ${(error as Error).message}`, { cause: error });
    }
  });
}

/** @throws {ConfigError} where one of two is missing, or cannot be read */
async function readTls(
  { dashboardBindAddress, dashboardTlsCertFile, dashboardTlsKeyFile }: DashboardOptions,
) {
  const [certFlag, keyFlag] = ["--dashboard-tls-cert-file", "--dashboard-tls-key-file"] as const;
  const given = bothOf([certFlag, dashboardTlsCertFile], [keyFlag, dashboardTlsKeyFile]);
  if (!given) return undefined;
  if (dashboardBindAddress === "none") {
    throw new ConfigError(`${certFlag} and ${keyFlag} need --dashboard-bind-address`);
  }
  const [cert, key] = given;
  return { cert: await readSecretFile(cert, certFlag), key: await readSecretFile(key, keyFlag) };
}
