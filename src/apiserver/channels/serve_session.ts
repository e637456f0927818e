import type { ContainerSession } from "../../kube/container_session.ts";
import { onAbort, Stage } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { InputQueue } from "./input_queue.ts";
import { CHANNEL, exitStatus, failureStatus, readMessage, writeMessage } from "./protocol.ts";

const log = loggerFor("apiserver", "channels");

/** Of output that a client does not take; the command waits meanwhile. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A WebSocket does not say when it has sent what waits. */
const DRAIN_LOOK_MS = 5;

const NORMAL = 1000;

/**
 * Connects a client with the session that `open` resolves with, until its command has ended, the client has gone, or
 * `signal` is aborted. The last message says how the command ended. Never rejects.
 */
export async function serveSession(
  socket: WebSocket,
  open: () => Promise<ContainerSession>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  using input = new InputQueue();
  using over = new Stage(signal);
  const opening = opened(socket, over).then(open);
  socket.onmessage = ({ data }) => {
    const message = readMessage(data);
    try {
      if (message?.kind === "stdin") input.push(message.bytes);
      if (message?.kind === "stdinEnd") input.end();
    } catch (error) {
      // As with a full disk: the session is over, the program goes on.
      over.abort(error);
    }
    if (message?.kind === "resize") opening.then((session) => session.resize(message), () => {});
  };
  const status = await converse(opening, { socket, clock, input, over: over.signal }).catch(failureStatus);
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(writeMessage(CHANNEL.status, new TextEncoder().encode(JSON.stringify(status))));
  socket.close(NORMAL);
}

/** Resolves once a socket is open, and aborts `over` when it is not any more. */
function opened(socket: WebSocket, over: AbortController): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onclose = socket.onerror = () => over.abort(new Error("the client has gone"));
    onAbort(over.signal, () => reject(over.signal.reason));
  });
}

interface Parts {
  readonly socket: WebSocket;
  readonly clock: Clock;
  readonly input: InputQueue;
  readonly over: AbortSignal;
}

/**
 * Resolves with the status of a command that has ended.
 *
 * @throws where it has none
 */
async function converse(opening: Promise<ContainerSession>, parts: Parts): Promise<object> {
  const session = await opening;
  // In any case: the caller aborts it when it returns.
  onAbort(parts.over, () => session.end());
  const ended = session.ended.then(exitStatus, failureStatus);
  feed(session, parts.input);
  const { stdout, stderr } = session;
  await Promise.all([copyOut(stdout, CHANNEL.stdout, parts), stderr && copyOut(stderr, CHANNEL.stderr, parts)]);
  return await ended;
}

/** Input that a command takes no more of is lost, as with any pipe. */
function feed({ stdin }: ContainerSession, input: InputQueue): void {
  if (!stdin) return input[Symbol.dispose]();
  ReadableStream.from(input.take()).pipeTo(stdin).catch((error) => {
    log.debug("Standard input has ended early: {error}", { error: messageOf(error) });
    input[Symbol.dispose]();
  });
}

/** @throws if it is over before the stream is */
async function copyOut(stream: ReadableStream<Uint8Array>, channel: number, parts: Parts): Promise<void> {
  const { socket, clock, over } = parts;
  const sink = new WritableStream<Uint8Array>({
    async write(bytes) {
      socket.send(writeMessage(channel, bytes));
      while (socket.bufferedAmount > MAX_WAITING_BYTES && !over.aborted) await clock.sleep(DRAIN_LOOK_MS);
    },
  });
  await stream.pipeTo(sink, { signal: over });
}
