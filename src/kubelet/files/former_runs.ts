import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { noteOutput, withMessage } from "../container_run.ts";
import type { StartResult } from "../container_starter.ts";
import type { Run } from "../decide.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { PodContext } from "../context.ts";
import type { PodDirectory } from "./pod_directory.ts";
import { reportCannotStart } from "../events.ts";
import { type Outcome, type RunFiles, UNKNOWN_STATUS } from "./run_files.ts";

/** The runs of a container that an earlier process has left on disk. */
type FormerRuns = StartResult & { readonly container: Container };

/** A Pod whose former runs are to be read. */
interface UnreadPod {
  readonly pod: Pod;
  readonly directory: PodDirectory;
  /** Of containers that were read before something failed. */
  readonly histories: ReadonlyMap<string, unknown>;
  /** It should have ended long ago: a runtime that is away is not waited for any more. */
  readonly isOverdue: boolean;
}

/** Reads what former lives of the program left on disk, and resumes the containers that still work. */
export async function* readFormerRuns(unread: UnreadPod, context: PodContext): AsyncGenerator<FormerRuns> {
  const { pod, directory, histories } = unread;
  for (const { container, init, runs } of directory.runsOf(pod)) {
    if (histories.has(container.name)) continue;
    const former = runs.length > 0
      ? await resume(unread, container, runs, context)
      : recall(pod, container, init, context.clock.now());
    if (former) yield former;
  }
}

async function resume(
  { pod, isOverdue }: UnreadPod,
  container: Container,
  runs: readonly RunFiles[],
  context: PodContext,
): Promise<FormerRuns | undefined> {
  const [files, before] = runs.toReversed() as [RunFiles, RunFiles?];
  const previous = before && endedRun(container, before);
  const run = runOf(files);
  const find = () => context.runtimes.of(files).resume({ pod, container, files });
  const found = await find().catch((error) => {
    const message = `Cannot find out what became of container ${container.name}: ${messageOf(error)}`;
    reportCannotStart(context, pod, "FailedSync", message);
    if (!isOverdue) throw error;
    // The runtime removes what is left of it, once that can be.
    Deno.writeTextFileSync(files.launched, "", { mode: 0o600 });
    files.writeOutcome({ ...UNKNOWN_STATUS, message, startedAt: run.startedAt, finishedAt: context.clock.now() });
    return find();
  });
  if (found === undefined) return previous && { container, history: { current: previous } };
  if ("ended" in found) return { container, history: { current: run, previous }, running: found };
  noteOutput(pod, container, files, context);
  const outcome = withMessage(container, files, found);
  return { container, history: { current: { ...run, outcome }, previous } };
}

/** A container that has run as far as the API knows, but of which there are no files, must not run again unasked. */
function recall(pod: Pod, container: Container, init: boolean, now: EpochMs): FormerRuns | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const status = (init ? initContainerStatuses : containerStatuses).find(({ name }) => name === container.name);
  const { running, terminated } = status?.state ?? {};
  const ended = terminated ?? status?.lastState?.terminated;
  if (!status || (!running && !ended)) return undefined;
  const startedAt = parseTime(running?.startedAt ?? ended?.startedAt) ?? now;
  const outcome: Outcome = running || !ended ? { ...UNKNOWN_STATUS, startedAt, finishedAt: now } : {
    exitCode: ended.exitCode,
    reason: ended.reason ?? "Error",
    message: ended.message,
    startedAt,
    finishedAt: parseTime(ended.finishedAt) ?? now,
  };
  return { container, history: { current: { restartCount: status.restartCount, startedAt, backOffMs: 0, outcome } } };
}

function endedRun(container: Container, files: RunFiles): Run | undefined {
  const state = files.read();
  if (state?.kind !== "ended") return undefined;
  return { ...runOf(files), outcome: withMessage(container, files, state.outcome) };
}

function runOf(files: RunFiles): Run {
  const { backOffMs = 0, startedAt = 0 } = files.readIntent() ?? {};
  return { restartCount: files.restartCount, startedAt, backOffMs };
}
