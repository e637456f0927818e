import type { Container } from "kubernetes-types/core/v1";
import { aborted } from "../runtime/abort.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { isUsable, kindOf, type ProbeMeans } from "./probe_checks.ts";

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
    ...Object.entries(hooks).filter(([, hook]) => !isUsableHook(hook)),
  ];
  return unusable.flatMap(([field, handler]) => handler ? [`${field}.${kindOf(handler)}`] : []);
}

/** Returns whether a hook can be carried out: those by ports are not, whatever the network. */
export function isUsableHook(hook: Hook | undefined): hook is Hook {
  return isUsable(hook, undefined);
}

/** How a hook is carried out. */
export interface HookOptions {
  readonly means: Pick<ProbeMeans, "exec">;
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

async function carryOut({ exec, sleep }: Hook, options: HookOptions): Promise<string | undefined> {
  const { means, clock, timeoutMs = NO_LIMIT_MS, signal } = options;
  if (exec) {
    const { command = [] } = exec;
    const { code, output } = await means.exec(command, timeoutMs);
    return code === 0 ? undefined : `command '${command.join(" ")}' exited with ${code}: ${output}`;
  }
  await clock.sleep(sleep!.seconds * 1000, signal);
  return undefined;
}
