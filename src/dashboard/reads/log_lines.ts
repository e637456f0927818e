import { ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { linesOf } from "../../kube/lines_of.ts";
import { makeKey } from "../../kube/object.ts";
import { type Job, JOBS, type Pod, PODS } from "../../kube/resource.ts";
import { pathOf } from "../../kube/resource_path.ts";
import type { Clock } from "../../base/clock.ts";
import { firstLineOf, messageOf } from "../../telemetry/message_of.ts";
import { readPod } from "../../view/pod_facts.ts";
import { lastLogs } from "../../view/kept_runs.ts";
import { isOver, podsOfRun } from "../../view/run_pods.ts";
import type { KeptHistory } from "../commands.ts";
import type { LogMessage } from "../wire.ts";

/** Between two looks for Pods that a run has started meanwhile. */
const LOOK_MS = 1_000;

/** Of each container, from its end: the page shows no more. */
export const SHOWN_LINES = 5_000;

/** Of a line: one that never ends fills no memory. */
const MAX_CHARACTERS = 16_384;

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
      const told = messagesOf(log);
      // One more shows that there are more.
      const options = { tail, maxCharacters: MAX_CHARACTERS + 1, signal };
      for await (const text of history.linesOf(client, log, options)) yield* told(text);
    }
  } catch (error) {
    if (!signal.aborted) yield { kind: "trouble", message: firstLineOf(error) };
  }
}

async function* liveMessages(options: LogOptions): AsyncGenerator<LogMessage> {
  const { client, clock, namespace, signal } = options;
  const { readable, writable } = new TransformStream<LogMessage, LogMessage>();
  const writer = writable.getWriter();
  // Waits until the page takes it. Once the page has left, nothing waits.
  const tell: Tell = (message) => writer.write(message).catch(() => {});
  const look = async () => {
    const reading: Promise<void>[] = [];
    const known = new Set<string>();
    let isWithoutPods = true;
    for (;;) {
      const isLastLook = isOver(await jobOf(options));
      for (const pod of await podsOfRun(client, { namespace, name: options.job })) {
        isWithoutPods = false;
        for (const message of waitsOf(pod)) {
          if (!known.has(message)) await tell({ kind: "waits", message });
          known.add(message);
        }
        for (const container of startsOf(pod)) {
          if (known.has(container.key)) continue;
          known.add(container.key);
          reading.push(readAll(container, options, tell));
        }
      }
      if (isLastLook || signal.aborted) break;
      await clock.sleep(LOOK_MS, signal);
    }
    await Promise.all(reading);
    await tell({ kind: "end", ...isWithoutPods && { isWithoutPods } });
  };
  look().catch((error) => signal.aborted ? undefined : tell({ kind: "trouble", message: firstLineOf(error) }))
    .finally(() => writer.close().catch(() => {/* no one reads on */}));
  yield* readable;
}

type Tell = (message: LogMessage) => Promise<void>;

interface Start {
  readonly pod: string;
  readonly container: string;
  /** Distinguishes one start of it from the next. */
  readonly key: string;
}

function startsOf({ metadata: { name: pod, uid }, status }: Pod): Start[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []]
    // A container that waits to be started again has a log of its last start.
    .filter(({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated)
    .map(({ name, containerID, restartCount = 0 }) => ({
      pod,
      container: name,
      key: `${uid}/${name}/${containerID || restartCount}`,
    }));
}

function waitsOf(pod: Pod): string[] {
  const { name, waiting } = readPod(pod);
  if (!waiting) return [];
  return [`Pod ${name} waits: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ""}`];
}

async function jobOf({ client, namespace, job: name }: LogOptions): Promise<Job | undefined> {
  return await client.get(JOBS, { namespace, name }).catch(ignoreNotFound);
}

/** Returns the messages about each line of a container; about the first that is one too many, that earlier ones are cut. */
function messagesOf({ pod, container }: Pick<Start, "pod" | "container">): (line: string) => LogMessage[] {
  let count = 0;
  return (line) => {
    const text = line.slice(0, MAX_CHARACTERS);
    const message = { kind: "line", pod, container, text, ...text.length < line.length && { isCut: true } } as const;
    const cut = `Only the last ${SHOWN_LINES} lines of ${pod}/${container} are shown`;
    return ++count === SHOWN_LINES + 1 ? [{ kind: "cut", message: cut }, message] : [message];
  };
}

/** A container that cannot be read holds nothing of the others back. */
async function readAll({ pod, container }: Start, options: LogOptions, tell: Tell): Promise<void> {
  const { client, namespace, signal } = options;
  const told = messagesOf({ pod, container });
  const query = new URLSearchParams({ container, follow: "true", tailLines: String(options.tailLines) });
  try {
    const response = await client.raw(`${pathOf(PODS, { namespace, name: pod }, "log")}?${query}`, { signal });
    for await (const line of linesOf(response, { maxCharacters: MAX_CHARACTERS + 1 })) {
      for (const message of told(line)) await tell(message);
    }
  } catch (error) {
    if (signal.aborted) return;
    await tell({ kind: "trouble", message: `Cannot read the log of ${pod}/${container}: ${messageOf(error)}` });
  }
}
