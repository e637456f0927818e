import type { KubeClient } from "../../kube/client.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import type { Clock } from "../../base/clock.ts";
import type { Controllers } from "../../view/runner.ts";
import { controllersOf } from "./lease_holder.ts";
import { VERSION } from "../version.ts";
import { connectionOf, reach } from "./connection.ts";
import type { HistoryServerOptions } from "../flags/history_server_options.ts";
import { historyServerOf, tokenOf } from "./history_server.ts";
import { type HistoryServer, historyServer } from "./kept_history.ts";
import type { ConnectionOptions } from "../flags/connection_options.ts";

/** Where a command is at work. */
export interface ClusterPlace {
  /** That of the command line, else of the context, else `default`; an empty one is none, and never all. */
  readonly namespace: string;
  /** Whether the server is that of a `standalone`. */
  readonly isEmbedded: boolean;
  /** The server that remembers runs: that of a `standalone`, or the one that the command line names. */
  readonly history: HistoryServer | undefined;
  /** Asks which controllers there are. */
  readonly controllers: (clock: Clock) => Promise<Controllers>;
}

/** Calls `act` with a client for the cluster that is meant. `who` is what the server's audit log says of it. */
export async function withCluster<Found>(
  options: ConnectionOptions & HistoryServerOptions & { namespace?: string | undefined },
  who: string,
  act: (client: KubeClient, place: ClusterPlace) => Promise<Found>,
): Promise<Found> {
  const asked = await historyServerOf(options);
  const connection = await connectionOf(options);
  const userAgent = `cronjob-controller/${VERSION} ${who}`;
  await using client = HttpKubeClient.to(connection, { userAgent, refusesOnce: true });
  const reached = reach(client, connection.server);
  const namespace = options.namespace || connection.namespace || "default";
  const token = asked?.serviceAccount === undefined
    ? {}
    : { token: await reached.then(() => tokenOf(client, asked.serviceAccount!, namespace)) };
  await using own = asked && HttpKubeClient.to({ ...asked.connection, ...token }, { userAgent });
  const history = asked && own && historyServer(own, asked.refusal);
  const { isEmbedded } = await reached;
  return await act(client, {
    namespace,
    isEmbedded,
    history: history ?? (isEmbedded ? { client } : undefined),
    controllers: (clock) => controllersOf(client, clock, isEmbedded),
  });
}
