import type { Container } from "kubernetes-types/core/v1";
import { aborted } from "../runtime/abort.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { get, portOf, type ProbeMeans, urlOf } from "./probe_checks.ts";

/** What is carried out right after a container's start, or before it is asked to end. */
export type Hook = NonNullable<NonNullable<Container["lifecycle"]>["preStop"]>;

const HOOKS = ["postStart", "preStop"] as const;

const KINDS = ["exec", "httpGet", "sleep", "tcpSocket"] as const;

/** Kubernetes gives a hook after the start as long as it takes. */
const NO_LIMIT_MS = 24 * 60 * 60_000;

/** Returns the hooks of a container that cannot be carried out: `lifecycle.preStop.httpGet`. */
export function unusableHooks(
  { lifecycle }: Container,
  means: { readonly [K in keyof ProbeMeans]: boolean },
): string[] {
  return HOOKS.flatMap((name) => {
    const kind = kindOf(lifecycle?.[name]);
    return kind && !canUse(kind, means) ? [`lifecycle.${name}.${kind}`] : [];
  });
}

/** Returns whether a hook can be carried out. */
export function isUsableHook(hook: Hook | undefined, { exec, host }: ProbeMeans): hook is Hook {
  const kind = kindOf(hook);
  return kind !== undefined && canUse(kind, { exec: exec !== undefined, host: host !== undefined });
}

function kindOf(hook: Hook | undefined): typeof KINDS[number] | undefined {
  return KINDS.find((kind) => hook?.[kind]);
}

/** Kubernetes itself has no hooks by `tcpSocket`, though its API has the field. */
function canUse(kind: typeof KINDS[number], { exec = false, host = false }: { exec?: boolean; host?: boolean }) {
  return { exec, httpGet: host, sleep: true, tcpSocket: false }[kind];
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
    const { code, output } = await means.exec!(command, timeoutMs);
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
