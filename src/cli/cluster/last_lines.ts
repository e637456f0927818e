import type { KubeClient } from "../../kube/client.ts";
import { after, type Clock } from "../../base/clock.ts";
import type { RunView } from "../../view/cron_job_view.ts";
import { lastLogs } from "../../view/kept_runs.ts";
import type { ViewInput } from "../../view/look.ts";
import { podLogOf } from "../../view/pod_log.ts";
import { podThatFailed } from "../../view/pods.ts";
import { keptLogOf } from "./kept_history.ts";

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
  const { pod, container: name } = podThatFailed(run.job, input) ?? {};
  const few = { tail: SHOWN_LINES };
  if (pod && name) {
    const ofPod = { namespace, ...few, limitBytes: MAX_BYTES };
    return await soon((signal) => podLogOf(client, { pod, name }, { ...ofPod, signal }), clock);
  }
  const [log] = lastLogs(input.kept ?? [], { job: run.job });
  if (log) return await soon((signal) => keptLogOf(client, log, { ...few, maxCharacters: MAX_BYTES, signal }), clock);
  const lines = run.terminated?.message?.trimEnd().split("\n") ?? [];
  // A single line stands in the reason.
  return lines.length > 1 ? lines.slice(-SHOWN_LINES) : [];
}

/** Returns the lines that are not empty; none where they are not to be had, for whatever reason, or not soon. */
async function soon(linesIn: (signal: AbortSignal) => AsyncIterable<string>, clock: Clock): Promise<string[]> {
  const tooLate = new AbortController();
  using _timer = after(clock, PATIENCE_MS, () => tooLate.abort());
  try {
    return (await Array.fromAsync(linesIn(tooLate.signal))).filter((line) => line !== "");
  } catch {
    return [];
  }
}
