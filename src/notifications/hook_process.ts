import { type ChildProcess, spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import process from "node:process";
import { onAbort } from "../base/abort.ts";
import { after, type Clock, endsWithin } from "../base/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";

/** A command to run, for a shell. */
export interface Hook {
  readonly command: string;
  /** Its variables, beside those of this program. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

/** The end of a failed hook's output that its warning shows. */
const KEPT_BYTES = 1_000;

/** How long a failed hook's last output is waited for: a process that the hook left behind may hold the pipes open. */
const LAST_OUTPUT_MS = 1_000;

/**
 * Runs a hook to its end. Returns why it failed, or undefined; never rejects. A hook that hangs is killed, and all of its
 * process group, after `timeoutMs`, or once `signal` is aborted.
 */
export async function runHook(
  { command, env, input, timeoutMs }: Hook,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string | undefined> {
  let child: ChildProcess;
  try {
    const { shell, args } = shellFor(command);
    // In a group of its own, a hook can be ended with all that it started.
    child = spawn(shell, args, { env: { ...Deno.env.toObject(), ...env }, detached: true, windowsHide: true });
  } catch (error) {
    return messageOf(error);
  }
  const output = tailOf(child);
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(messageOf(error)));
    child.once("exit", (code, killedBy) => {
      if (code === 0) return resolve(undefined);
      resolve(killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`);
    });
  });
  const closed = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  // A hook need not read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);

  let tookTooLong = false;
  using _killing = onAbort(signal, () => kill(child));
  using _timer = after(clock, timeoutMs, () => {
    tookTooLong = true;
    kill(child);
  });
  const failure = await ended;
  // The last output may still be in the pipes.
  if (failure !== undefined && !tookTooLong) await endsWithin(clock, LAST_OUTPUT_MS, closed);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  if (tookTooLong) return `it took longer than ${timeoutMs / 1_000} s, and was ended`;
  return failure && [failure, output()].filter((text) => text !== "").join(": ");
}

function shellFor(command: string): { shell: string; args: string[] } {
  if (Deno.build.os === "windows") return { shell: "cmd.exe", args: ["/d", "/s", "/c", command] };
  return { shell: Deno.env.get("SHELL") || "/bin/sh", args: ["-c", command] };
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(Deno.build.os === "windows" ? pid : -pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}

/** Reads all output of a process. Returns a function that gives its end. */
function tailOf({ stdout, stderr }: ChildProcess): () => string {
  let tail = Buffer.alloc(0);
  for (const stream of [stdout, stderr]) {
    stream?.on("data", (bytes: Buffer) => {
      tail = Buffer.concat([tail, bytes]).subarray(-KEPT_BYTES);
    });
    stream?.on("error", () => {});
  }
  return () => tail.toString().trim();
}
