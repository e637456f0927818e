import { parseTime } from "../../base/epoch_ms.ts";
import { type Answer, type ApiRequest, streamed } from "../http/exchange.ts";
import type { PodLogOptions } from "../pod_logs.ts";
import { isTrue, parseInteger } from "../reading/list_options.ts";
import { atLeast, rules } from "../kinds/validation/check.ts";
import { forbidden } from "../kinds/validation/field_errors.ts";
import { badRequest, invalid, Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { SCALARS } from "../schema/scalars.ts";
import { parse } from "../storage/stored_object.ts";
import type { ServerContext, Target } from "./context.ts";
import { chosenContainer } from "./pod_container.ts";
import { storedObject } from "./read.ts";

/** GET of `pods/…/log`. */
export async function handlePodLog(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const wanted = logOptions(request.query, target.name, context.clock.now());
  const pod = parse(storedObject(context, target));
  const container = chosenContainer(pod, request.query.get("container") || undefined);
  if (!pod.spec.nodeName) {
    const why = unscheduledBecause(pod);
    if (why) throw badRequest(`${inWords(pod, container)} is waiting to start: ${why}`);
  }
  // Nothing says yet why no node has it, or nothing here runs containers: there is no log, and that is no error.
  if (!pod.spec.nodeName || !context.podLogs) return { code: 204 };
  const { namespace, name, uid } = pod.metadata;
  try {
    return streamed(await context.podLogs.open({ namespace, name, uid }, { ...wanted, container }));
  } catch (error) {
    throw isWaiting(error) ? badRequest(whyNoLog(pod, container)) : refusalOf(error);
  }
}

function logOptions(query: URLSearchParams, name: string, now: number): Omit<PodLogOptions, "container"> {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, parseInteger(query.get(name))]));
  const { tailLines, limitBytes, sinceSeconds } = numbers;
  const text = query.get("sinceTime"), givenTime = parseTime(text);
  if (text && givenTime === undefined) throw badRequest(`sinceTime must be ${SCALARS.time.what}`);
  const errors = OPTIONS({ ...numbers, sinceTime: givenTime }, "");
  if (errors.length) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
  const sinceTime = givenTime ?? (sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000);
  return {
    follow: isTrue(query.get("follow")),
    previous: isTrue(query.get("previous")),
    timestamps: isTrue(query.get("timestamps")),
    tailLines,
    limitBytes,
    sinceTime,
  };
}

const NUMBERS = ["tailLines", "limitBytes", "sinceSeconds"] as const;

const OPTIONS = rules(
  "core ValidatePodLogOptions",
  ["tailLines", atLeast(0)],
  ["limitBytes", atLeast(1, "must be greater than 0")],
  ({ sinceTime, sinceSeconds }: Json) =>
    // An empty path, as Go shows it.
    sinceTime !== undefined && sinceSeconds !== undefined &&
    forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"),
  ["sinceSeconds", atLeast(1, "must be greater than 0")],
);

/** The kubelet knows only that there is no run yet; the Pod's status says why. */
function isWaiting(error: unknown): boolean {
  return error instanceof Error && error.message.includes(" is waiting to start: ");
}

/** The log of a container that has ended was somewhere else: a backup, for one, has the Pod without its files. */
function whyNoLog(pod: Json, container: string): string {
  const { status = {} } = pod;
  const statuses: Json[] = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const { terminated, waiting } = statuses.find(({ name }) => name === container)?.state ?? {};
  const hasEnded = terminated !== undefined || (!waiting && ["Succeeded", "Failed"].includes(status.phase));
  const why = hasEnded
    ? "has ended, and its log is gone: no file of it is in the data dir, and a backup has none"
    : `is waiting to start: ${waiting?.reason ?? "ContainerCreating"}`;
  return `${inWords(pod, container)} ${why}`;
}

function inWords({ metadata }: Json, container: string): string {
  return `container "${container}" in pod "${metadata.name}"`;
}

/** Returns what the scheduler says; undefined while it has said nothing. */
function unscheduledBecause({ status = {} }: Json): string | undefined {
  const scheduled = (status.conditions ?? []).find(({ type }: Json) => type === "PodScheduled");
  return scheduled?.status === "False" ? `${scheduled.reason}: ${scheduled.message}` : undefined;
}

/** By its shape, not its class: what runs the containers does not import this server. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  if (typeof code !== "number") return error;
  const reason = code === 404 ? "NotFound" : code === 400 ? "BadRequest" : "InternalError";
  return new Refusal(code, reason, error.message);
}
