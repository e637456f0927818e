import type { Clock } from "../../runtime/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { ContainerSession } from "../../kube/container_session.ts";
import { InputQueue } from "./input_queue.ts";
import { CHANNEL, exitStatus, failureStatus, readMessage, writeMessage } from "./protocol.ts";

const log = loggerFor("apiserver", "channels");

/** A client that takes nothing lets this much wait; the process waits meanwhile. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A WebSocket does not say when it has sent what waits. */
const DRAIN_LOOK_MS = 5;

const NORMAL = 1000;

/**
 * Connects a client with what `open` resolves with, until the process has ended, the client has gone, or `signal` is
 * aborted. The last message says how it ended.
 */
export function serveSession(
  socket: WebSocket,
  open: () => Promise<ContainerSession>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): void {
  const gone = new AbortController();
  let problem: unknown;
  const isGone = AbortSignal.any([gone.signal, signal]);
  const input = new InputQueue();
  const opened = new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    isGone.addEventListener("abort", () => reject(new Error("the client has gone")));
  });
  const session = opened.then(open);
  socket.onclose = socket.onerror = () => gone.abort();
  socket.onmessage = ({ data }) => {
    const message = readMessage(data);
    switch (message.kind) {
      case "stdin":
        try {
          return input.push(message.bytes);
        } catch (error) {
          // As with a full disk: the session is over, the program goes on.
          problem ??= error;
          return gone.abort();
        }
      case "stdinEnd":
        return input.end();
      case "resize":
        return void session.then((session) => session.resize(message), () => {});
    }
  };
  serve(session, { socket, clock, input, isGone, problem: () => problem }).catch((error) => {
    log.error("Cannot serve a session: {error}", { error });
  }).finally(() => {
    input[Symbol.dispose]();
    if (socket.readyState === WebSocket.OPEN) socket.close(NORMAL);
  });
}

interface Parts {
  readonly socket: WebSocket;
  readonly clock: Clock;
  readonly input: InputQueue;
  readonly isGone: AbortSignal;
  /** Why it has to end early. */
  readonly problem: () => unknown;
}

async function serve(opening: Promise<ContainerSession>, parts: Parts): Promise<void> {
  let status: object;
  try {
    const session = await opening;
    status = await converse(session, parts).finally(() => session.end());
  } catch (error) {
    status = failureStatus(error);
  }
  const { socket } = parts, problem = parts.problem();
  if (problem !== undefined) status = failureStatus(problem);
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(writeMessage(CHANNEL.status, new TextEncoder().encode(JSON.stringify(status))));
}

/** @returns the status to end with */
async function converse(session: ContainerSession, parts: Parts): Promise<object> {
  const { isGone } = parts, end = () => session.end();
  isGone.addEventListener("abort", end);
  if (isGone.aborted) end();
  const ended = session.ended.then(exitStatus, failureStatus);
  feed(session, parts.input);
  await Promise.all(
    (["stdout", "stderr"] as const).map((name) => session[name] && copyOut(session[name], CHANNEL[name], parts)),
  );
  return await ended;
}

/** What the process does not take any more is lost, as with any pipe. */
async function feed({ stdin }: ContainerSession, input: InputQueue): Promise<void> {
  if (!stdin) return;
  const writer = stdin.getWriter();
  try {
    for await (const bytes of input.take()) await writer.write(bytes);
    await writer.close();
  } catch (error) {
    log.debug("Standard input has ended early: {error}", { error: messageOf(error) });
    input[Symbol.dispose]();
  }
}

async function copyOut(stream: ReadableStream<Uint8Array>, channel: number, parts: Parts): Promise<void> {
  const { socket, clock, isGone } = parts;
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  isGone.addEventListener("abort", cancel);
  if (isGone.aborted) cancel();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    socket.send(writeMessage(channel, read.value));
    while (socket.bufferedAmount > MAX_WAITING_BYTES && !isGone.aborted) await clock.sleep(DRAIN_LOOK_MS);
  }
}
