import { environmentOf, factsOf } from "../../notifications/facts.ts";
import { runHook } from "../../notifications/hook_process.ts";
import type { RunNotification } from "../../notifications/notification.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { FlagError } from "../errors.ts";
import { listenForStop } from "../signals.ts";
import type { HookOptions } from "./hook_options.ts";

type TriedHooks = Pick<HookOptions, "onFailure" | "onRecovery" | "hookTimeout">;

/** Runs the hooks of a command line once each, of a run that is made up, and shows what they write. Exit code 1: one failed. */
export async function tryHooks({ onFailure, onRecovery, hookTimeout }: TriedHooks): Promise<void> {
  if (!onFailure && !onRecovery) throw new FlagError("--try-hooks needs --on-failure or --on-recovery");
  using stop = listenForStop();
  const clock = new SystemClock();
  const logFile = await Deno.makeTempFile({ prefix: "cronjob-controller-try-hooks-", suffix: ".log" });
  try {
    await Deno.writeTextFile(logFile, "This is the log of a run that is made up.\n");
    const timing = { clock, signal: stop.signal, timeoutMs: hookTimeout, logFile };
    if (onFailure) await tryHook("--on-failure", onFailure, { ...timing, kind: "failed" });
    if (onRecovery) await tryHook("--on-recovery", onRecovery, { ...timing, kind: "recovered" });
  } finally {
    await Deno.remove(logFile);
  }
}

interface Trial {
  readonly kind: RunNotification["kind"];
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function tryHook(flag: string, command: string, { kind, logFile, timeoutMs, clock, signal }: Trial) {
  const exitCode = kind === "failed" ? 3 : 0;
  const facts = factsOf(madeUp(kind, clock.now()), { exitCode, logFile });
  console.log(`${flag} runs ${command}\n${flag} gets the message "${facts.message}"`);
  const hook = { command, env: environmentOf(facts), input: `${JSON.stringify(facts)}\n`, timeoutMs };
  const decoder = new TextDecoder();
  const onOutput = (bytes: Uint8Array) => console.log(decoder.decode(bytes, { stream: true }).trimEnd());
  const trouble = await runHook(hook, { clock, signal, onOutput });
  // What it wrote stands above already.
  console.log(`${flag} ${trouble === undefined ? "ended with exit code 0" : `failed: ${trouble.split(": ")[0]}`}`);
  if (trouble !== undefined) Deno.exitCode = 1;
}

function madeUp(kind: RunNotification["kind"], now: number): RunNotification {
  const outcome = kind === "failed" ? "failed" : "succeeded";
  const jobName = "made-up-1";
  const failure = {
    reason: "BackoffLimitExceeded",
    message: "Job has reached the specified backoff limit: exit 3: made up",
  };
  return {
    kind,
    id: `run-${kind}-made-up`,
    cronJob: { apiVersion: "cronjob-controller.dev/v1", namespace: "default", name: "made-up", uid: "", zone: "UTC" },
    run: {
      uid: "",
      jobName,
      outcome,
      endTime: now,
      scheduledTime: now - 60_000,
      byHand: false,
      reason: undefined,
      message: undefined,
      ...kind === "failed" && failure,
    },
    failures: kind === "failed" ? 1 : 0,
    failuresInARow: 1,
    since: now,
    jobNames: [jobName],
  };
}
