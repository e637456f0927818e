import type { Container } from "kubernetes-types/core/v1";
import { messageOf } from "../../telemetry/message_of.ts";
import { criReader } from "./cri_log.ts";
import { ifThere, readAt } from "./disk.ts";
import type { RunFiles } from "./run_files.ts";
import { RunLog } from "./run_log.ts";

/** Kubernetes' limits. */
const MAX_BYTES = 4096;
const LOG_TAIL = { bytes: 2048, lines: 80 };

/** Of what an engine puts before each line. */
const CRI_PREFIX_BYTES = 48;

/**
 * Returns what a run wrote to the file that `TERMINATION_MESSAGE_PATH` names; with `FallbackToLogsOnError`, the end of its
 * output if it failed and wrote nothing there.
 */
export function terminationMessage(container: Container, run: RunFiles, exitCode: number): string | undefined {
  try {
    const isWanted = container.terminationMessagePolicy === "FallbackToLogsOnError" && exitCode !== 0;
    return writtenMessage(run.message) || (isWanted ? endOfLog(run) : undefined) || undefined;
  } catch (error) {
    return `Error on reading termination message: ${messageOf(error)}`;
  }
}

/** The path is the process's own: whatever it made there, only a file is read. A pipe would never end. */
function writtenMessage(path: string): string | undefined {
  const written = ifThere(() => Deno.statSync(path).isFile ? readAt(path, 0, MAX_BYTES) : undefined);
  return written && new TextDecoder().decode(written);
}

function endOfLog(run: RunFiles): string {
  const log = new RunLog(run);
  const isCri = run.logFormat === "cri";
  const rawBytes = LOG_TAIL.bytes + (isCri ? LOG_TAIL.lines * CRI_PREFIX_BYTES : 0);
  const from = Math.max(log.offsetOfTail(LOG_TAIL.lines), log.end - rawBytes);
  const { bytes } = log.read(from, rawBytes);
  return new TextDecoder().decode(isCri ? criReader({ timestamps: false })(bytes).slice(-LOG_TAIL.bytes) : bytes);
}
