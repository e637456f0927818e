import type { Container } from "kubernetes-types/core/v1";
import { aborted } from "../runtime/abort.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { get, isUsable, kindOf, portOf, type ProbeMeans, urlOf } from "./probe_checks.ts";

/** What is carried out right after a container's start, or before it is asked to end. */
export type Hook = NonNullable<NonNullable<Container["lifecycle"]>["preStop"]>;

/** Kubernetes gives a hook after the start as long as it takes. */
const NO_LIMIT_MS = 24 * 60 * 60_000;

/** Returns the probes and hooks of a container that cannot be carried out: `livenessProbe.grpc`. */
export function unusableHandlers(
  { startupProbe, readinessProbe, livenessProbe, lifecycle: { postStart, preStop } = {} }: Container,
  host: string | undefined,
): string[] {
  const probes = { startupProbe, readinessProbe, livenessProbe };
  const hooks = { "lifecycle.postStart": postStart, "lifecycle.preStop": preStop };
  const unusable = [
    ...Object.entries(probes).filter(([, probe]) => !isUsable(probe, host)),
    ...Object.entries(hooks).filter(([, hook]) => !isUsableHook(hook, host)),
  ];
  return unusable.flatMap(([field, handler]) => handler ? [`${field}.${kindOf(handler)}`] : []);
}

/** Returns whether a hook can be carried out. Kubernetes itself has none by `tcpSocket`, though its API has the field. */
export function isUsableHook(hook: Hook | undefined, host: string | undefined): hook is Hook {
  return !hook?.tcpSocket && isUsable(hook, host);
}

/** How a hook is carried out. */
export interface HookOptions {
  readonly container: Container;
  readonly means: ProbeMeans;
  readonly clock: Clock;
  /** @default as long as it takes */
  readonly timeoutMs?: number;
  /** Aborted when it is waited for no longer. Commands end in time, or with their container. */
  readonly signal: AbortSignal;
}

/** Carries a hook out. Resolves with why it has failed, or undefined; in any case once `signal` is aborted. */
export async function runHook(hook: Hook, options: HookOptions): Promise<string | undefined> {
  const carriedOut = carryOut(hook, options).catch(messageOf);
  const failure = await Promise.race([carriedOut, aborted(options.signal)]);
  return options.signal.aborted ? "it took too long" : failure ?? undefined;
}

async function carryOut({ exec, httpGet, sleep }: Hook, options: HookOptions): Promise<string | undefined> {
  const { container, means, clock, timeoutMs = NO_LIMIT_MS, signal } = options;
  if (exec) {
    const { command = [] } = exec;
    const { code, output } = await means.exec(command, timeoutMs);
    return code === 0 ? undefined : `command '${command.join(" ")}' exited with ${code}: ${output}`;
  }
  if (sleep) {
    await clock.sleep(sleep.seconds * 1000, signal);
    return undefined;
  }
  const { port: wanted, host, httpHeaders = [] } = httpGet!;
  const port = portOf(container, wanted);
  if (port === undefined) return `couldn't find port: ${wanted} in ports of the container`;
  // As on Kubernetes, any answer will do.
  await get(urlOf(httpGet!, { host: host || means.host!, port }), httpHeaders, signal);
  return undefined;
}
