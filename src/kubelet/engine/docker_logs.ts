import { connect, type Socket } from "node:net";
import { concat } from "../../kube/byte_source.ts";
import { onAbort } from "../../runtime/abort.ts";
import type { EngineCommand } from "./engine_command.ts";

/** docker has no such container. */
export class LogsGone extends Error {
  override readonly name = "LogsGone";
}

/** docker has less of a container's output than was copied from it before. */
export class LogsCut extends Error {
  override readonly name = "LogsCut";
}

const HEADER_END = "\r\n\r\n";

/** Before each piece of output stand the stream, three zeros and the length. */
const FRAME_HEADER = 8;

/** Of a container that is being removed docker hands over nothing. */
const CONFLICT = 409;

/** A stream of docker's own complaints. */
const SYSTEM_ERROR = 3;

const UNIX = "unix://";

/** Returns the path of a socket on this machine; undefined for a daemon elsewhere. */
export function socketOf(endpoint: string | undefined): string | undefined {
  return endpoint?.startsWith(UNIX) ? endpoint.slice(UNIX.length) : undefined;
}

/**
 * The output of docker's containers, from the daemon's own socket: its command line would mix what a container writes with
 * what it has to say itself.
 */
export class DockerLogs {
  readonly #command: EngineCommand;

  constructor(command: EngineCommand) {
    this.#command = command;
  }

  /**
   * Appends to a file what it lacks of a container's output.
   *
   * @param options.follow whether to go on until the container has ended
   * @throws {LogsGone} if there is no such container
   * @throws {LogsCut} if the file has more of it than docker
   */
  async copy(
    container: string,
    path: string,
    { follow, signal }: { readonly follow: boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    const socket = socketOf(await this.#command.endpoint()) ?? "";
    using file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    let skip = file.statSync().size;
    const query = `stdout=1&stderr=1&follow=${Number(follow)}`;
    for await (const output of outputOf(socket, `/containers/${encodeURIComponent(container)}/logs?${query}`, signal)) {
      const lacking = output.subarray(Math.min(skip, output.length));
      skip -= output.length - lacking.length;
      for (let written = 0; written < lacking.length;) written += file.writeSync(lacking.subarray(written));
    }
    // A daemon that stops breaks off what follows.
    if (!follow && skip > 0) throw new LogsCut(`docker's own log of it is ${skip} bytes shorter than this one`);
  }
}

/** Asks in HTTP/1.0, in which an answer comes in one piece and ends with the connection. */
async function* outputOf(path: string, target: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const socket = connect({ path });
  using _stop = onAbort(signal, () => void socket.destroy(new Error("aborted")));
  try {
    socket.write(`GET ${target} HTTP/1.0\r\nHost: docker\r\n\r\n`);
    yield* readFrames(socket);
  } finally {
    socket.destroy();
  }
}

async function* readFrames(socket: Socket): AsyncGenerator<Uint8Array> {
  let format: "frames" | "raw" | undefined;
  let rest = new Uint8Array(0);
  for await (const piece of socket as AsyncIterable<Uint8Array>) {
    rest = concat([rest, piece]);
    if (format === undefined) {
      const head = headOf(rest);
      if (!head) continue;
      rest = rest.slice(head.length);
      if (head.status === 404 || head.status === CONFLICT) throw new LogsGone("no such container");
      if (head.status !== 200) throw new Error(`docker answers ${head.status} when asked for the output`);
      format = head.isRaw ? "raw" : "frames";
    }
    if (format === "raw") {
      yield rest;
      rest = new Uint8Array(0);
      continue;
    }
    const { payload, used } = framesIn(rest);
    if (payload.length > 0) yield payload;
    rest = rest.slice(used);
  }
  if (format === undefined) throw new Error("docker ended the connection without an answer");
  if (rest.length > 0) throw new Error("docker ended the connection in the middle of the output");
}

interface Head {
  readonly status: number;
  /** As of a container with a terminal: without frames. */
  readonly isRaw: boolean;
  readonly length: number;
}

function headOf(bytes: Uint8Array): Head | undefined {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, 8 * 1024));
  const end = text.indexOf(HEADER_END);
  if (end < 0) return undefined;
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]);
  return { status, isRaw: /^content-type: application\/vnd\.docker\.raw-stream/im.test(text), length: end + 4 };
}

/** Returns the output in those frames that are whole. */
function framesIn(bytes: Uint8Array): { readonly payload: Uint8Array; readonly used: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const payload = new Uint8Array(bytes.length);
  let used = 0;
  let length = 0;
  while (used + FRAME_HEADER <= bytes.length) {
    const end = used + FRAME_HEADER + view.getUint32(used + 4);
    if (end > bytes.length) break;
    const frame = bytes.subarray(used + FRAME_HEADER, end);
    if (bytes[used] === SYSTEM_ERROR) throw new Error(`docker says: ${new TextDecoder().decode(frame)}`);
    payload.set(frame, length);
    length += frame.length;
    used = end;
  }
  return { payload: payload.subarray(0, length), used };
}
