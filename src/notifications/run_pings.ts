import { PING } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { RunNotice } from "../cronjob/status/events.ts";
import { type PingSignal, runIdOf, slugOf } from "./ping_address.ts";
import type { Ping } from "./ping_queue.ts";

/**
 * Returns what is said of a CronJob's check when this became of a run; undefined for nothing: it carries no label that
 * asks for it, or the run is one of the past.
 */
export function pingFor(
  { flavour, metadata }: Pick<CronJob, "flavour" | "metadata">,
  { outcome, jobName, isOfPast }: RunNotice,
  exitCode: number | undefined,
): Ping | undefined {
  const signal = signalOf(outcome, exitCode);
  if (metadata.labels?.[PING] !== "true" || signal === undefined || jobName === undefined || isOfPast) return undefined;
  return { slug: slugOf(metadata, flavour), signal, runId: runIdOf(metadata, jobName) };
}

function signalOf(outcome: RunNotice["outcome"], exitCode: number | undefined): PingSignal | undefined {
  switch (outcome) {
    case "started":
      return "start";
    case "succeeded":
      return "success";
    case "failed":
      // A Job can fail although its last container did not: by its deadline.
      return exitCode ? { exitCode } : "fail";
    default:
      return undefined;
  }
}
