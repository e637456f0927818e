import { Stage } from "../../base/abort.ts";
import { after, type Clock } from "../../base/clock.ts";
import type { ChildCache } from "../../cronjob/child_cache.ts";
import type { ConnectionConfig } from "../../kube/connection_config.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import { linesOf } from "../../kube/lines_of.ts";
import type { ClusterArchive } from "../../run_archive/cluster_archive.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import type { Peers } from "../../run_archive/peers.ts";
import { ConfigError } from "../errors.ts";
import { httpsOriginOf } from "../shared/https_origin.ts";
import { readSecretFile } from "../shared/secret_file.ts";
import { VERSION } from "../version.ts";
import type { ControllerOptions } from "./controller_options.ts";

type HistoryOptions = Pick<ControllerOptions, "historyDir" | "historySize" | "historyPeers" | "historyPeersCaFile">;

/** How long runs are kept. */
const RUNS_MS = 90 * 86_400_000;

/**
 * Opens the archive of runs, which nothing is loaded of where there is to be none. Undefined also where it cannot be
 * opened: no run must wait for a disk that is full or broken.
 */
export async function openHistory(
  { historyDir, historySize: bytes }: HistoryOptions,
  { clock, jobs, peers }: { readonly clock: Clock; readonly jobs: ChildCache; readonly peers: Peers | undefined },
): Promise<ClusterArchive | undefined> {
  if (historyDir === undefined) return undefined;
  const { ClusterArchive } = await import("../../run_archive/cluster_archive.ts");
  try {
    await Deno.mkdir(historyDir, { recursive: true, mode: 0o700 });
    return new ClusterArchive({ database: `${historyDir}/history.sqlite`, clock, jobs, runsMs: RUNS_MS, bytes, peers });
  } catch (error) {
    const message = "Cannot keep history in --history-dir {file}, going on without: {error}";
    loggerFor("history").error(message, { file: historyDir, error });
    return undefined;
  }
}

/** An answer may take so long in all. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Returns how other replicas are read. The token of the ServiceAccount goes to the address that the command line names, over
 * verified HTTPS; the token of a kubeconfig, a person's, does not.
 *
 * @throws {ConfigError} where a token could be read on the way, there is none, or a file cannot be read
 */
export async function peersOf(
  { historyDir, historyPeers: address, historyPeersCaFile: caFile }: HistoryOptions,
  { connection: { tokenFile }, clock }: { readonly connection: ConnectionConfig; readonly clock: Clock },
): Promise<Peers | undefined> {
  if (address === undefined) {
    if (caFile === undefined) return undefined;
    throw new ConfigError("--history-peers-ca-file is that of --history-peers: give both, or neither");
  }
  if (historyDir === undefined) throw new ConfigError("--history-peers needs --history-dir");
  const origin = httpsOriginOf("--history-peers", address);
  if (tokenFile === undefined) {
    throw new ConfigError("--history-peers needs the ServiceAccount of a Pod, not a kubeconfig");
  }
  const caCertificates = caFile === undefined ? [] : [await readSecretFile(caFile, "--history-peers-ca-file")];
  const server = { server: `${origin}/api`, tokenFile, caCertificates };
  return {
    async *linesIn({ since, until }, signal) {
      using stage = new Stage(signal);
      using _tooLate = after(clock, PATIENCE_MS, () => stage.abort());
      // Over a connection of its own, which may lead to another replica than the last one.
      await using client = HttpKubeClient.to(server, { clock, userAgent: `cronjob-controller/${VERSION} history` });
      yield* linesOf(await client.raw(`/history/all?since=${since}&until=${until}`, { signal: stage.signal }));
    },
  };
}
