import { type ChildProcess, spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import process from "node:process";
import { onAbort } from "../base/abort.ts";
import { after, type Clock } from "../base/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";

/** A command to run, for a shell. */
export interface Hook {
  readonly command: string;
  /** Beside what this program has itself. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

/** How much of what it wrote is kept for the warning that it failed. */
const KEPT_OUTPUT = 1_000;

/**
 * Runs a hook to its end. Returns what went wrong, if anything did; never rejects. One that hangs is killed, and all of its
 * process group, after `timeoutMs`, or once `signal` is aborted.
 */
export async function runHook(
  { command, env, input, timeoutMs }: Hook,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string | undefined> {
  let child: ChildProcess;
  try {
    const { shell, args } = shellFor(command);
    // A group of its own: what it started can be ended with it.
    child = spawn(shell, args, { env: { ...Deno.env.toObject(), ...env }, detached: true, windowsHide: true });
  } catch (error) {
    return messageOf(error);
  }
  const output = tailOf(child);
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(messageOf(error)));
    child.once("exit", (code, killedBy) => {
      if (code === 0) return resolve(undefined);
      const how = killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`;
      resolve([how, output()].filter((text) => text !== "").join(": "));
    });
  });
  // It need not read what it is given.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);

  let tookTooLong = false;
  using _killing = onAbort(signal, () => kill(child));
  using _timer = after(clock, timeoutMs, () => {
    tookTooLong = true;
    kill(child);
  });
  const trouble = await ended;
  // A process that it left behind may hold them open.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  return tookTooLong ? `it took longer than ${timeoutMs / 1_000} s, and was ended` : trouble;
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
    // It has ended.
  }
}

/** Reads all that it writes, and keeps the end. */
function tailOf({ stdout, stderr }: ChildProcess): () => string {
  let tail = Buffer.alloc(0);
  for (const stream of [stdout, stderr]) {
    stream?.on("data", (bytes: Buffer) => {
      tail = Buffer.concat([tail, bytes]).subarray(-KEPT_OUTPUT);
    });
    stream?.on("error", () => {});
  }
  return () => tail.toString().trim();
}
