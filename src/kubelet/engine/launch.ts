import { spawn } from "node:child_process";
import type { Clock } from "../../runtime/clock.ts";
import { IDENTIFY } from "../process/run_shim.ts";
import { become, shellVariables } from "../process/shell_variables.ts";
import { StartError } from "../container_runtime.ts";
import { readText, type RunFiles } from "../run_files.ts";

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
}

/** After which an engine's command is killed, as the kubelet has it for a request to a runtime on a busy machine. */
const TIMEOUT_MS = 4 * 60_000;

/** In the place of an engine's exit code, of one that was killed. */
export const TOO_LATE = 124;

/**
 * Runs the command that creates and starts a run's container, which goes on if this program is killed.
 *
 * @throws {StartError} if there are more or longer variables than a command can have
 */
export async function launch(files: RunFiles, { attempt, argv, env, clock }: LaunchOptions): Promise<Launched> {
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
  ], { detached: true, stdio: "ignore", env: { ...Deno.env.toObject(), ...variables.env } });
  const inTime = new AbortController();
  let late = false;
  clock.sleep(TIMEOUT_MS, inTime.signal).then(() => {
    late = true;
    killGroup(child.pid!);
  }, () => {});
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(asStartError(error)));
      child.once("exit", (code) => resolve(code ?? 128));
    });
    const complaint = readText(files.complaint) ?? "";
    if (!late) return { code, complaint };
    return { code: TOO_LATE, complaint: `${complaint}\nError: the engine took longer than ${TIMEOUT_MS / 1000} s` };
  } finally {
    inTime.abort();
  }
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
