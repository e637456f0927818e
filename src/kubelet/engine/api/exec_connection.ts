import { concat } from "../../../kube/byte_source.ts";
import { after, type Clock } from "../../../runtime/clock.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import type { EngineApi } from "./engine_api.ts";
import { EngineError } from "./engine_error.ts";
import { faultOf } from "./known_faults.ts";
import { type Frame, Frames } from "./frames.ts";

const HEAD_END = "\r\n\r\n";

/** How long the engine may take until it says that the command runs. */
const ANSWER_MS = 60_000;

/** A connection that was HTTP's and carries a command's input and output now. */
export interface ExecConnection extends Disposable {
  /** The command's output, until it ends. A terminal's is all of stream 1. */
  readonly output: AsyncIterable<Frame>;
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the command's input. */
  closeInput(): Promise<void>;
}

/**
 * Starts a command that was created in a container, and takes its connection over.
 *
 * @throws {EngineError} if the engine does not start it
 */
export function startExec(
  api: EngineApi,
  id: string,
  { tty, clock }: { readonly tty: boolean; readonly clock: Clock },
): Promise<ExecConnection> {
  const body = JSON.stringify({ Detach: false, Tty: tty });
  const head = "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: application/json\r\n";
  return connected(api, { clock, timeoutMs: ANSWER_MS }, async (connection) => ({
    output: outputOf(connection, await post(api, connection, { path: `/exec/${id}/start`, head, body }), tty),
    write: (bytes) => writeAll(connection, bytes),
    closeInput: () => connection.closeWrite(),
    [Symbol.dispose]: () => close(connection),
  }));
}

/**
 * Sends a POST without a body, once: Deno 2.7's `fetch` sends it again when the engine ends before it answers.
 *
 * @throws {EngineError} without a status if there is no answer
 */
export function postOnce(api: EngineApi, path: string, limit: Limit): Promise<void> {
  return connected(api, limit, async (connection) => {
    await post(api, connection, { path, head: "Connection: close\r\n", body: "" });
    close(connection);
  });
}

interface Limit {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Calls `use` with a connection, which is closed if that fails. */
async function connected<T>(
  api: EngineApi,
  { clock, timeoutMs }: Limit,
  use: (connection: Deno.UnixConn) => Promise<T>,
): Promise<T> {
  const path = await api.socketPath();
  let connection: Deno.UnixConn | undefined;
  let late: EngineError | undefined;
  using _timer = after(clock, timeoutMs, () => {
    late = new EngineError(`${api.engine} took longer than ${timeoutMs / 1000} s`);
    if (connection) close(connection);
  });
  try {
    connection = await Deno.connect({ transport: "unix", path });
    return await use(connection);
  } catch (error) {
    if (connection) close(connection);
    if (late || error instanceof EngineError) throw late ?? error;
    throw new EngineError(`Cannot reach ${api.engine}: ${messageOf(error)}`, { cause: error });
  }
}

/** Resolves with what has come after the answer's head. */
async function post(
  api: EngineApi,
  connection: Deno.Conn,
  { path, head, body }: { readonly path: string; readonly head: string; readonly body: string },
): Promise<Uint8Array> {
  const target = `${await api.prefix()}${path}`;
  const text = `POST ${target} HTTP/1.1\r\nHost: engine\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  await writeAll(connection, new TextEncoder().encode(text));
  const { status, rest } = await readHead(api, connection);
  if (status < 400) return rest;
  throw faultOf(api.engine, status, new TextDecoder().decode(await readToEnd(connection, rest)));
}

async function readHead(api: EngineApi, connection: Deno.Conn): Promise<{ status: number; rest: Uint8Array }> {
  let bytes = new Uint8Array(0);
  for (;;) {
    const text = new TextDecoder("latin1").decode(bytes);
    const end = text.indexOf(HEAD_END);
    if (end >= 0) return { status: Number(text.split(" ")[1]), rest: bytes.slice(end + HEAD_END.length) };
    const piece = await readPiece(connection);
    if (!piece) throw new EngineError(`${api.engine} ended the connection without an answer`);
    bytes = concat([bytes, piece]);
  }
}

/** Of a refusal, which need not end the connection. */
async function readToEnd(connection: Deno.Conn, rest: Uint8Array): Promise<Uint8Array> {
  const piece = rest.length > 0 ? undefined : await readPiece(connection);
  return piece ?? rest;
}

async function* outputOf(connection: Deno.Conn, rest: Uint8Array, tty: boolean): AsyncGenerator<Frame> {
  const frames = new Frames(tty);
  for (let piece: Uint8Array | undefined = rest; piece; piece = await readPiece(connection)) yield* frames.read(piece);
}

async function readPiece(connection: Deno.Conn): Promise<Uint8Array | undefined> {
  const buffer = new Uint8Array(32 * 1024);
  const length = await connection.read(buffer);
  return length === null ? undefined : buffer.subarray(0, length);
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
