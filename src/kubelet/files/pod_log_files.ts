import { concat } from "../../kube/byte_source.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { criReader } from "./cri_log.ts";
import { containersOf } from "../inputs/check.ts";
import { PodDirectory } from "./pod_directory.ts";
import { PULSE_MS } from "./pulse.ts";
import { isRestarted } from "../inputs/restarts.ts";
import type { RunFiles } from "./run_files.ts";
import { BLOCK, RunLog } from "./run_log.ts";

/** Why there is no log to be had. */
export class PodLogError extends Error {
  override readonly name = "PodLogError";

  /** @param code HTTP status */
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export interface PodLogRequest {
  container: string;
  /** Go on until the container's run has ended. */
  follow?: boolean;
  /** The run before. */
  previous?: boolean;
  tailLines?: number | undefined;
  limitBytes?: number | undefined;
  sinceTime?: EpochMs | undefined;
  /** Begin each line with when it was seen, see {@linkcode RunLog}. */
  timestamps?: boolean;
}

/** Hands out what containers have put out, from the files of a {@linkcode Kubelet} with the same data directory. */
export class PodLogFiles {
  readonly #podsDirectory: string;
  readonly #clock: Clock;

  constructor(options: { dataDir: string; clock?: Clock }) {
    this.#podsDirectory = `${options.dataDir}/pods`;
    this.#clock = options.clock ?? new SystemClock();
  }

  /**
   * @throws {PodLogError} worded as Kubernetes does
   */
  // deno-lint-ignore require-await
  async open(
    { name, uid }: { namespace: string; name: string; uid: string },
    request: PodLogRequest,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const run = chosenRun(new PodDirectory(this.#podsDirectory, uid), name, request);
    return logStream(run, request, this.#clock);
  }

  /** The file that the newest run of a container writes, or wrote; undefined where there is none. */
  newestFile(podUid: string, container: string): string | undefined {
    return new PodDirectory(this.#podsDirectory, podUid).runs(container).at(-1)?.log;
  }
}

/**
 * Returns the run that Kubernetes would show: the last one, or the one before; a container that waits has only runs
 * before.
 */
function chosenRun(directory: PodDirectory, podName: string, { container, previous }: PodLogRequest): RunFiles {
  const what = `container "${container}" in pod "${podName}"`;
  const runs = directory.runs(container);
  const last = runs.at(-1);
  const state = last?.read();
  const ended = state?.kind === "ended" ? state.outcome : undefined;
  const isUnstarted = ended !== undefined && ended.startedAt === undefined;
  const isWaiting = ended !== undefined && !isUnstarted && isStartedAgain(directory, container, ended.exitCode);
  const run = previous ? isWaiting ? last : runs.at(-2) : isUnstarted ? runs.at(-2) : last;
  if (run) return run;
  if (previous) throw new PodLogError(400, `previous terminated ${what} not found`);
  throw new PodLogError(400, last ? `${what} is terminated` : `${what} is waiting to start: ContainerCreating`);
}

function isStartedAgain(directory: PodDirectory, name: string, exitCode: number): boolean {
  const pod = directory.readPod();
  const found = pod && containersOf(pod.spec!).find(({ container }) => container.name === name);
  return found !== undefined && isRestarted(pod!, found.container, exitCode);
}

/** For the time of a line: on a full disk none is noted. */
const MAX_WAITS = 5_000 / PULSE_MS;

function logStream(
  run: RunFiles,
  request: PodLogRequest,
  clock: Clock,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const log = new RunLog(run);
  const stop = new AbortController();
  let offset = Math.max(
    request.tailLines === undefined ? 0 : log.offsetOfTail(request.tailLines),
    request.sinceTime === undefined ? 0 : log.offsetSince(request.sinceTime),
  );
  // Without `follow`, what comes later is not waited for, or a busy container's log would never end.
  const until = request.follow ? Infinity : log.end;
  let left = request.limitBytes ?? Infinity;
  const { timestamps = false } = request;
  const stamp = run.logFormat === "cri" ? criReader({ timestamps }) : timestamps ? lineStamper(log, clock) : undefined;
  // A line that is followed has the time that it has whenever it is read again: it is waited for until its time is noted.
  const isTimed = timestamps && request.follow && run.logFormat !== "cri";
  let waits = 0;

  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        if (stop.signal.aborted || left <= 0 || offset >= until) return controller.close();
        // Asked before reading: what was written by the end is then read after it.
        const state = run.read();
        // Nothing is known of a run whose Pod is gone.
        const ended = state === undefined || state.kind === "ended";
        // The container has truncated it.
        if (log.end < offset) offset = 0;
        const noted = isTimed && log.end > offset ? log.seenEnd : Infinity;
        if (noted > offset) waits = 0;
        const read = log.read(offset, Math.min(BLOCK, (waits < MAX_WAITS ? noted : Infinity) - offset));
        if (read.bytes.length > 0) {
          offset = read.next;
          const bytes = (stamp ? stamp(read.bytes, read.offset) : read.bytes).subarray(0, left);
          left -= bytes.length;
          return controller.enqueue(bytes);
        }
        if (!request.follow || (ended && noted === Infinity)) return controller.close();
        waits++;
        await clock.sleep(PULSE_MS, stop.signal).catch(() => {});
      }
    },
    cancel: () => stop.abort(),
  });
}

/** Puts the time before each line, as Kubernetes does with nine decimals; a line may come in several pieces. */
function lineStamper(log: RunLog, clock: Clock) {
  const timeOf = log.clock(() => clock.now());
  let atStart = true;
  return (bytes: Uint8Array<ArrayBuffer>, offset: number): Uint8Array<ArrayBuffer> => {
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < bytes.length;) {
      const newline = bytes.indexOf(10, start);
      const end = newline < 0 ? bytes.length : newline + 1;
      if (atStart) {
        pieces.push(
          new TextEncoder().encode(`${new Date(timeOf(offset + start)).toISOString().replace("Z", "000000Z")} `),
        );
      }
      pieces.push(bytes.subarray(start, end));
      atStart = newline >= 0;
      start = end;
    }
    return concat(pieces);
  };
}
