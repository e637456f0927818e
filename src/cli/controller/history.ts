import type { Clock } from "../../base/clock.ts";
import type { ChildCache } from "../../cronjob/child_cache.ts";
import type { ClusterArchive } from "../../run_archive/cluster_archive.ts";
import { ConfigError } from "../errors.ts";
import type { HistoryOptions } from "./history_options.ts";

/** How long runs are kept. */
const RUNS_MS = 90 * 86_400_000;

/**
 * Opens the archive of runs, which nothing is loaded of where there is to be none.
 *
 * @throws {ConfigError} where the folder cannot be written to
 */
export async function openHistory(
  { historyDir, historySize: bytes }: HistoryOptions,
  { clock, jobs }: { readonly clock: Clock; readonly jobs: ChildCache },
): Promise<ClusterArchive | undefined> {
  if (historyDir === undefined) return undefined;
  const { ClusterArchive } = await import("../../run_archive/cluster_archive.ts");
  try {
    await Deno.mkdir(historyDir, { recursive: true, mode: 0o700 });
    return new ClusterArchive({ database: `${historyDir}/history.sqlite`, clock, jobs, runsMs: RUNS_MS, bytes });
  } catch (cause) {
    throw new ConfigError(`Cannot keep history in --history-dir ${historyDir}: ${(cause as Error).message}`, { cause });
  }
}
