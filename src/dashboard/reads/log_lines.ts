import { ApiError, ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { makeKey } from "../../kube/object.ts";
import { JOBS, type Pod } from "../../kube/resource.ts";
import { type Clock, endsWithin } from "../../base/clock.ts";
import { firstLineOf, messageOf } from "../../telemetry/message_of.ts";
import { type Container, containersWithLogs } from "../../view/containers.ts";
import { ContainerLog } from "../../view/container_log.ts";
import { type KeptLog, lastLogs } from "../../view/kept_runs.ts";
import { readPod } from "../../view/pod_facts.ts";
import { isOver, podsOfRun } from "../../view/run_pods.ts";
import type { KeptHistory } from "../commands.ts";
import type { LogMessage } from "../wire.ts";

/** Between two looks for Pods that a run has started meanwhile. */
const LOOK_MS = 1_000;

/** The page knows that it is connected as long as it hears so often. */
const BEAT_MS = 10_000;

/** Of a line: one that never ends fills no memory. */
const MAX_CHARACTERS = 16_384;
/** With its time before it, and one more, which shows that there are more. */
const MAX_STAMPED = MAX_CHARACTERS + 40;

export interface LogOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly job: string;
  /** Of each container, so many of its last lines, and what it goes on to write. */
  readonly tailLines: number;
  /** The CronJob's, by which logs of Pods that are gone are found; undefined: they are not looked for. */
  readonly name: string | undefined;
  readonly history: KeptHistory | undefined;
  readonly signal: AbortSignal;
}

/** The remembered output of a Job's Pods that are gone; then the output of all others, until the Job has ended. */
export async function* logMessages(options: LogOptions): AsyncGenerator<LogMessage> {
  let hasLines = false;
  for await (const message of keptMessages(options)) {
    hasLines ||= message.kind === "line";
    yield message;
  }
  for await (const message of liveMessages(options)) {
    hasLines ||= message.kind === "line";
    if (message.kind === "end" && !hasLines && options.history) yield* laterKeptMessages(options);
    yield message;
  }
}

/** The output remembered by now: Pods that go as they are asked for are in neither place for a moment. */
async function* laterKeptMessages(options: LogOptions): AsyncGenerator<LogMessage> {
  await options.clock.sleep(LOOK_MS, options.signal).catch(() => {/* no one reads on */});
  if (!options.signal.aborted) yield* keptMessages(options);
}

async function* keptMessages(
  { client, namespace, name, job, tailLines: tail, history, signal }: LogOptions,
): AsyncGenerator<LogMessage> {
  if (!history || name === undefined) return;
  try {
    for (const log of lastLogs(await history.runs(client, { cronJobs: [makeKey(namespace, name)], job }), { job })) {
      // One more shows that there are more.
      const options = { tail, maxCharacters: MAX_CHARACTERS + 1, signal };
      for await (const text of history.linesOf(client, log, options)) yield lineOf(log, text);
    }
  } catch (error) {
    if (!signal.aborted) yield troubleOf(error);
  }
}

function troubleOf(error: unknown): LogMessage {
  const isFinal = error instanceof ApiError && error.code < 500;
  return { kind: "trouble", message: firstLineOf(error), ...isFinal && { isFinal } };
}

async function* liveMessages(options: LogOptions): AsyncGenerator<LogMessage> {
  const { client, clock, namespace, job: name, signal } = options;
  const { readable, writable } = new TransformStream<LogMessage, LogMessage>();
  const writer = writable.getWriter();
  let saidAt = -Infinity;
  // Waits until the page takes it. Once the page has left, nothing waits.
  const tell: Tell = (message) => {
    saidAt = clock.monotonic();
    return writer.write(message).catch(() => {});
  };
  const look = async () => {
    const logs = new Map<string, ContainerLog>();
    const waits = new Set<string>();
    let isWithoutPods = true;
    for (;;) {
      const isLastLook = isOver(await client.get(JOBS, { namespace, name }).catch(ignoreNotFound));
      const pods = await podsOfRun(client, { namespace, name });
      isWithoutPods &&= pods.length === 0;
      for (const message of pods.flatMap(waitsOf)) {
        if (!waits.has(message)) await tell({ kind: "waits", message });
        waits.add(message);
      }
      const found = pods.flatMap(containersWithLogs).map((container) => {
        const log = logs.get(container.start) ?? logOf(container, options, tell);
        logs.set(container.start, log);
        log.readOn(container, isLastLook);
        return log;
      });
      const reading = Promise.all(Array.from(logs.values(), ({ reading }) => reading));
      const isRead = isLastLook && await endsWithin(clock, LOOK_MS, reading);
      if (signal.aborted || (isRead && found.every(({ isComplete }) => isComplete))) break;
      if (clock.monotonic() - saidAt >= BEAT_MS) await tell({ kind: "beat" });
      if (isRead || !isLastLook) await clock.sleep(LOOK_MS, signal);
    }
    await tell({ kind: "end", ...isWithoutPods && { isWithoutPods } });
  };
  look().catch((error) => signal.aborted ? undefined : tell(troubleOf(error)))
    .finally(() => writer.close().catch(() => {/* no one reads on */}));
  yield* readable;
}

type Tell = (message: LogMessage) => Promise<void>;

function waitsOf(pod: Pod): string[] {
  const { name, waiting } = readPod(pod);
  if (!waiting) return [];
  return [`Pod ${name} waits: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ""}`];
}

function logOf({ pod, name }: Container, { client, namespace, tailLines: tail, signal }: LogOptions, tell: Tell) {
  const asked = { client, namespace, follow: true, tail, maxCharacters: MAX_STAMPED, signal };
  return new ContainerLog({
    ...asked,
    onLine: (text, at) => tell(lineOf({ pod, container: name }, text, at)),
    // A container that cannot be read holds nothing of the others back.
    onTrouble: (error, isFinal) =>
      tell({
        kind: "trouble",
        message: `Cannot read the log of ${pod}/${name}: ${messageOf(error)}`,
        ...isFinal && { isFinal },
      }),
  });
}

/** Returns the message about a line of a container. */
function lineOf(
  { pod, container }: Pick<KeptLog, "pod" | "container">,
  line: string,
  at?: string,
): LogMessage {
  const text = line.slice(0, MAX_CHARACTERS);
  const isCut = text.length < line.length;
  return { kind: "line", pod, container, ...at && { at }, text, ...isCut && { isCut } };
}
