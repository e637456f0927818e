import type { Clock } from "../../runtime/clock.ts";
import type { RunOfContainer } from "../runtime.ts";
import type { ContainerSession, SessionRequest } from "../../kube/container_session.ts";
import { RunLog } from "../files/run_log.ts";
import { type SessionCommand, startSession } from "./session_process.ts";
import { endInput, resizeTerminal, WRITE_INPUT } from "./standard_input.ts";

/** How often output is looked for: someone types, and waits for the echo. */
const LOOK_MS = 20;

export interface AttachParts {
  readonly clock: Clock;
  /** Resolves once the container has ended. */
  readonly ended: Promise<unknown>;
}

/** Connects a client with what a container's process writes from now on, and reads. */
export function attach(
  { container, files }: RunOfContainer,
  { stdin }: SessionRequest,
  { clock, ended }: AttachParts,
): ContainerSession {
  const stop = new AbortController();
  const left = Promise.withResolvers<void>();
  const isTyped = stdin && container.stdin === true;
  const times = container.stdinOnce ? "once" : "always";
  const writer: SessionCommand = {
    argv: ["/bin/sh", "-c", WRITE_INPUT, "cronjob-controller", files.stdin, times],
    env: {},
  };
  const input = isTyped ? startSession(writer, { stdin: true, tty: false }) : undefined;
  // Of one that was hung up before it could ignore that.
  if (container.stdinOnce) {
    input?.ended.then((code) => code !== 0 && endInput(files.stdin), () => endInput(files.stdin));
  }
  return {
    stdin: input?.stdin,
    stdout: follow(new RunLog(files), { clock, ended, stop }),
    ended: Promise.race([ended, left.promise]).then(() => 0),
    resize: (size) => container.tty && resizeTerminal(files.stdin, size),
    end() {
      input?.end();
      stop.abort();
      left.resolve();
    },
  };
}

function follow(
  log: RunLog,
  { clock, ended, stop }: AttachParts & { readonly stop: AbortController },
): ReadableStream<Uint8Array> {
  let offset = log.end;
  let isOver = false;
  ended.then(() => isOver = true);
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        if (stop.signal.aborted) return controller.close();
        // Asked before reading: what was written by the end is then read after it.
        const wasOver = isOver;
        // The container has truncated it.
        if (log.end < offset) offset = 0;
        const { bytes, next } = log.read(offset);
        if (bytes.length > 0) {
          offset = next;
          return controller.enqueue(bytes);
        }
        if (wasOver) return controller.close();
        await clock.sleep(LOOK_MS, stop.signal).catch(() => {});
      }
    },
    cancel: () => stop.abort(),
  });
}
