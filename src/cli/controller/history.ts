import type { Clock } from "../../base/clock.ts";
import type { ChildCache } from "../../cronjob/child_cache.ts";
import type { ClusterArchive } from "../../run_archive/cluster_archive.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import type { Peers } from "../../run_archive/peers.ts";
import type { HistoryOptions } from "./history_options.ts";

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
