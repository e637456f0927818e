import { parseTime } from "../../schedule/epoch_ms.ts";
import { type Answer, type ApiRequest, type Sink, TEXT_TYPE } from "../http/exchange.ts";
import type { PodLogOptions } from "../pod_logs.ts";
import { isTrue, parseInteger } from "../reading/list_options.ts";
import { atLeast, forbid, rules } from "../kinds/validation/check.ts";
import { badRequest, invalid, notFound, Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { parse } from "../storage/stored_object.ts";
import type { ServerContext, Target } from "./context.ts";

/** A client that takes nothing lets this much wait; the log itself waits in its file meanwhile. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** GET of `pods/…/log`. */
export async function handlePodLog(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const stored = context.storage.get(target.kind.storage, target.namespace, target.name);
  if (!stored) throw notFound(target.kind, target.name);
  const pod = parse(stored);
  const options = logOptions(request.query, pod, context.clock.now());
  if (!pod.spec.nodeName) {
    const why = unscheduledBecause(pod);
    if (why) throw waits(pod, options.container, why);
  }
  // Nobody has said yet why no node has it, or nobody here runs containers: there is no log, and that is no error.
  if (!pod.spec.nodeName || !context.podLogs) return { code: 204 };
  const { namespace, name, uid } = pod.metadata;
  let stream: ReadableStream<Uint8Array>;
  try {
    stream = await context.podLogs.open({ namespace, name, uid }, options);
  } catch (error) {
    throw isWaiting(error) ? waits(pod, options.container) : refusalOf(error);
  }
  return { code: 200, contentType: TEXT_TYPE, stream: (sink) => void copy(stream, sink) };
}

function logOptions(query: URLSearchParams, pod: Json, now: number): PodLogOptions {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, parseInteger(query.get(name))]));
  const { tailLines, limitBytes, sinceSeconds } = numbers;
  const givenTime = query.get("sinceTime") || undefined;
  const errors = OPTIONS({ ...numbers, sinceTime: givenTime }, "", undefined);
  if (errors.length) throw invalid({ group: "", kind: "PodLogOptions" }, pod.metadata.name, errors);
  const sinceTime = parseTime(givenTime) ?? (sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000);
  return {
    container: chosenContainer(pod, query.get("container") || undefined),
    follow: isTrue(query.get("follow")),
    previous: isTrue(query.get("previous")),
    timestamps: isTrue(query.get("timestamps")),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
  };
}

const NUMBERS = ["tailLines", "limitBytes", "sinceSeconds"] as const;

const OPTIONS = rules(
  "core ValidatePodLogOptions",
  ["tailLines", atLeast(0)],
  ["limitBytes", atLeast(1, "must be greater than 0")],
  [
    "",
    forbid(
      "at most one of `sinceTime` or `sinceSeconds` may be specified",
      ({ sinceTime, sinceSeconds }: Json) => sinceTime !== undefined && sinceSeconds !== undefined,
    ),
  ],
  ["sinceSeconds", atLeast(1, "must be greater than 0")],
);

/** Registry core/pod `LogLocation`. */
function chosenContainer({ metadata, spec }: Json, wanted: string | undefined): string {
  const names = (containers: Json[] = []) => containers.map(({ name }: Json) => name);
  const [first, ...others] = names(spec.containers);
  const inits = names(spec.initContainers);
  if (wanted !== undefined) {
    if ([first, ...others, ...inits].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  }
  if (!others.length && !inits.length) return first;
  const choice = `choose one of: [${[first, ...others].join(" ")}]` +
    (inits.length ? ` or one of the init containers: [${inits.join(" ")}]` : "");
  throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choice}`);
}

/** Who runs the containers knows only that there is no run yet; the Pod's status says why. */
function isWaiting(error: unknown): boolean {
  return error instanceof Error && error.message.includes(" is waiting to start: ");
}

function waitingReason({ status = {} }: Json, container: string): string {
  const statuses: Json[] = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return statuses.find(({ name }) => name === container)?.state?.waiting?.reason ?? "ContainerCreating";
}

/** What the scheduler says; undefined while it has said nothing. */
function unscheduledBecause({ status = {} }: Json): string | undefined {
  const scheduled = (status.conditions ?? []).find(({ type }: Json) => type === "PodScheduled");
  return scheduled?.status === "False" ? `${scheduled.reason}: ${scheduled.message}` : undefined;
}

function waits(pod: Json, container: string, why = waitingReason(pod, container)): Refusal {
  return badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${why}`);
}

/** By its shape, not its class: whoever runs the containers knows nothing of this server. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  if (typeof code !== "number") return error;
  const reason = code === 404 ? "NotFound" : code === 400 ? "BadRequest" : "InternalError";
  return new Refusal(code, reason, error.message);
}

async function copy(stream: ReadableStream<Uint8Array>, sink: Sink): Promise<void> {
  const reader = stream.getReader();
  let drained = () => {};
  sink.onDrain(() => drained());
  sink.onClose(() => {
    drained();
    reader.cancel().catch(() => {});
  });
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      sink.write(chunk.value);
      if (sink.waitingBytes > MAX_WAITING_BYTES) await new Promise<void>((resolve) => drained = resolve);
    }
    sink.end();
  } catch {
    // The log broke off: so does the answer, that nobody takes it for the whole.
    sink.destroy();
  }
}
