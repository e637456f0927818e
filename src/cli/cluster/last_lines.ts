import type { KubeClient } from "../../kube/client.ts";
import { after, type Clock } from "../../base/clock.ts";
import type { RunView } from "../../view/cron_job_view.ts";
import { type KeptLog, lastLogs } from "../../view/kept_runs.ts";
import type { ViewInput } from "../../view/look.ts";
import { podThatFailed } from "../../view/pods.ts";
import { keptLogOf } from "./kept_history.ts";
import { podLogOf } from "./pod_log.ts";

const SHOWN_LINES = 5;
/** A line may be as long as a container likes. */
const MAX_BYTES = 16_384;
/** The answer without them is worth more than a longer wait for a kubelet. */
const PATIENCE_MS = 3_000;

/**
 * Returns the last lines of a run that failed: of the container that did, of one whose log is remembered, or else
 * the end of its termination message.
 */
export async function lastLinesOfRun(
  client: KubeClient,
  input: ViewInput,
  run: RunView | undefined,
  clock: Clock,
): Promise<string[]> {
  if (run?.outcome !== "Failed" || run.job === undefined) return [];
  const { namespace } = input.cronJob.metadata;
  const { pod, container } = podThatFailed(run.job, input) ?? {};
  if (pod && container) return await lastLinesOf(client, { namespace, pod, container }, clock);
  const [log] = lastLogs(input.kept ?? [], { job: run.job });
  if (log) return await lastLinesKept(client, log, clock);
  const lines = run.terminated?.message?.trimEnd().split("\n") ?? [];
  // A single line stands in the reason.
  return lines.length > 1 ? lines.slice(-SHOWN_LINES) : [];
}

/** Returns the last lines that a container wrote; none where they are not to be had, for whatever reason, or not soon. */
export function lastLinesOf(
  client: KubeClient,
  { namespace, pod, container }: { namespace: string | undefined; pod: string; container: string },
  clock: Clock,
): Promise<string[]> {
  const limits = { tail: SHOWN_LINES, limitBytes: MAX_BYTES };
  return soon(async (signal) => {
    const lines = await Array.fromAsync(podLogOf(client, { pod, name: container }, { namespace, ...limits, signal }));
    return lines.filter((line) => line !== "");
  }, clock);
}

/** Returns the same of a log that is remembered. */
export function lastLinesKept(client: KubeClient, log: KeptLog, clock: Clock): Promise<string[]> {
  return soon(
    (signal) => Array.fromAsync(keptLogOf(client, log, { tail: SHOWN_LINES, maxCharacters: MAX_BYTES, signal })),
    clock,
  );
}

async function soon(read: (signal: AbortSignal) => Promise<string[]>, clock: Clock): Promise<string[]> {
  const tooLate = new AbortController();
  using _timer = after(clock, PATIENCE_MS, () => tooLate.abort());
  try {
    return await read(tooLate.signal);
  } catch {
    return [];
  }
}
