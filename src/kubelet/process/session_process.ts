import { spawn } from "node:child_process";
import { constants } from "node:os";
import { type Readable, Writable } from "node:stream";
import type { ContainerSession, SessionRequest } from "../../kube/container_session.ts";
import type { Command } from "./container_command.ts";
import { inTerminal, LEAVE, STAY } from "./session_terminal.ts";

/**
 * Becomes the command. A pipe ties its process group to the client: once we close it, or are gone ourselves, whatever we
 * die of, the group is hung up and a second later killed.
 */
const TIED = `${STAY}
( read -r _ <&3; kill -HUP 0; sleep 1; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
${LEAVE}
exec 3<&-
unset PWD OLDPWD SHLVL
exec "$@"`;

/** Runs a command for a client, in a process group of its own that ends when the client goes. */
export function startSession(
  { argv, env, workingDirectory }: Omit<Command, "workingDirectory"> & Partial<Command>,
  { stdin, tty }: Pick<SessionRequest, "stdin" | "tty">,
): ContainerSession {
  const start = tty
    ? inTerminal(argv, env)
    : { program: "/bin/sh", args: ["-c", TIED, "cronjob-controller", ...argv], env };
  const child = spawn(start.program, start.args, {
    detached: true,
    cwd: workingDirectory,
    env: start.env,
    // A terminal's own end of input would come at once where there is none.
    stdio: [stdin || tty ? "pipe" : "ignore", "pipe", "pipe", "pipe"],
  });
  // There is none where the command could not be started.
  const tie = child.stdio?.[3] as Writable | undefined;
  const end = () => void tie?.destroy();
  for (const stream of [tie, child.stdin]) stream?.on("error", () => {});
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(exitCodeOf(code, signal)));
  }).finally(end);
  // It may reject before anyone waits for it.
  ended.catch(() => {});
  return {
    stdin: stdin ? Writable.toWeb(child.stdin!) as WritableStream<Uint8Array> : undefined,
    stdout: readableFrom(child.stdout!),
    stderr: tty ? undefined : readableFrom(child.stderr!),
    ended,
    resize({ width, height }) {
      if (tty && tie && !tie.destroyed) tie.write(`${height} ${width}\n`);
    },
    end,
  };
}

/**
 * Not by its iterator: one that is returned early rejects where nothing can catch it. Not by `pause()` and `resume()`: Deno
 * then reads twice at the same time, into one buffer.
 */
function readableFrom(stream: Readable): ReadableStream<Uint8Array> {
  let isOpen = true;
  let wake = () => {};
  stream.on("readable", () => wake());
  for (const event of ["end", "error", "close"]) {
    stream.on(event, () => {
      isOpen = false;
      wake();
    });
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const chunk: Uint8Array | null = stream.read();
        if (chunk) return controller.enqueue(chunk);
        if (!isOpen) return controller.close();
        await new Promise<void>((resolve) => wake = resolve);
      }
    },
    cancel: () => void stream.destroy(),
  }, { highWaterMark: 0 });
}

/** Returns the exit code as a shell sees it: 128 + n for signal n. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal ? 128 + constants.signals[signal] : code ?? 128;
}
