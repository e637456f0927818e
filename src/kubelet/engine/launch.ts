import { spawn } from "node:child_process";
import { after, type Clock } from "../../runtime/clock.ts";
import { IDENTIFY } from "../process/shim.ts";
import { become, shellVariables } from "../process/shell_variables.ts";
import { StartError } from "../runtime.ts";
import { isAlive } from "../process/identity.ts";
import { PULSE_MS } from "../files/pulse.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { readText } from "../files/disk.ts";
import type { RunFiles, RunState } from "../files/run_files.ts";
import { EngineError } from "./engine_command.ts";

/**
 * Claims a run and becomes the engine's command that starts its container. A launch that finds its claim made starts
 * nothing: it was abandoned. After the claim, the command works as long as the process that the claim names.
 */
const LAUNCH = `set -C
${IDENTIFY}
echo "$$ $__cjc" >"$1" || exit 0
set +C
unset __cjc
exec >"$2" 2>"$3"
shift 3
${become()}`;

/** How a launch ended. */
export interface Launched {
  readonly code: number;
  /** What the engine said against it. */
  readonly complaint: string;
}

export interface LaunchOptions {
  readonly attempt: string;
  readonly argv: readonly string[];
  /** Variables of the command, besides our own. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Where all commands of the engine are called: a relative path in what it is configured by means one file to all of them. */
  readonly workingDirectory: string;
}

/** After which an engine's command is killed, as the kubelet has it for a request to a runtime on a busy machine. */
const TIMEOUT_MS = 4 * 60_000;

/** How long a command that was killed may take to be gone. */
const KILL_MS = 10_000;

/** Said of a launch that was killed. */
export const LATE = `the engine took longer than ${TIMEOUT_MS / 1000} s`;

/** In the place of an engine's exit code, of one that was killed. */
export const TOO_LATE = 124;

/**
 * Runs the command that creates and starts a run's container, which goes on if this program is killed.
 *
 * @throws {StartError} if there are more or longer variables than a command can have
 */
export async function launch(files: RunFiles, options: LaunchOptions): Promise<Launched> {
  const { attempt, argv, env, clock, workingDirectory } = options;
  const variables = shellVariables(env);
  const child = spawn("/bin/sh", [
    "-c",
    LAUNCH,
    "cronjob-controller",
    files.claim(attempt),
    files.launched,
    files.complaint,
    ...variables.words,
    ...argv,
  ], { detached: true, cwd: workingDirectory, stdio: "ignore", env: { ...Deno.env.toObject(), ...variables.env } });
  let late = false;
  using _timer = after(clock, TIMEOUT_MS, () => {
    late = true;
    killGroup(child.pid!);
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", (error) => reject(asStartError(error)));
    child.once("exit", (code) => resolve(code ?? 128));
  });
  const complaint = readText(files.complaint) ?? "";
  return late ? { code: TOO_LATE, complaint: `${complaint}\nError: ${LATE}` } : { code, complaint };
}

/**
 * Resolves once a launch of a former life of the program has ended: with true if by itself, with false if it took too long
 * and was killed.
 *
 * @param claimedAt when it began: it may have waited for its turn before
 * @throws {EngineError} if it cannot be killed: it may start the container yet
 */
export async function endOfFormerLaunch(
  { identity }: Pick<Extract<RunState, { kind: "started" }>, "identity">,
  claimedAt: EpochMs,
  clock: Clock,
): Promise<boolean> {
  const endsWithin = async (ms: number) => {
    const end = clock.monotonic() + ms;
    while (isAlive(identity)) {
      if (clock.monotonic() >= end) return false;
      await clock.sleep(PULSE_MS);
    }
    return true;
  };
  if (await endsWithin(Math.min(claimedAt + TIMEOUT_MS - clock.now(), TIMEOUT_MS))) return true;
  killGroup(identity.pid);
  if (await endsWithin(KILL_MS)) return false;
  throw new EngineError(`${LATE} to start it, and its command cannot be killed: pid ${identity.pid}`);
}

/** No other try could do any better. */
function asStartError(error: unknown): unknown {
  const isTooLong = (error as { code?: string }).code === "E2BIG";
  return isTooLong ? new StartError("argument list too long", { cause: error }) : error;
}

/** With what it has started. */
function killGroup(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
