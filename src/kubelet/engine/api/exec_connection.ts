import { concat } from "../../../kube/byte_source.ts";
import { after, type Clock } from "../../../runtime/clock.ts";
import type { EngineApi } from "./engine_api.ts";
import { EngineError } from "./engine_error.ts";
import { faultOf } from "./known_faults.ts";
import { type Frame, Frames } from "./frames.ts";

const HEAD_END = "\r\n\r\n";

/** How long the engine may take until it says that the command runs. */
const ANSWER_MS = 60_000;

/** A connection that was HTTP's and carries a command's input and output now. */
export interface ExecConnection extends Disposable {
  /** What the command writes, until it ends. A terminal's is all of stream 1. */
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
export async function startExec(
  api: EngineApi,
  id: string,
  { tty, clock }: { readonly tty: boolean; readonly clock: Clock },
): Promise<ExecConnection> {
  const connection = await Deno.connect({ transport: "unix", path: await api.socketPath() });
  let late: EngineError | undefined;
  using _timer = after(clock, ANSWER_MS, () => {
    late = new EngineError(`${api.engine} took longer than ${ANSWER_MS / 1000} s`);
    close(connection);
  });
  try {
    const body = JSON.stringify({ Detach: false, Tty: tty });
    await writeAll(
      connection,
      new TextEncoder().encode(
        `POST ${await api
          .prefix()}/exec/${id}/start HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    const { status, rest } = await readHead(api, connection);
    if (status >= 400) throw faultOf(api.engine, status, new TextDecoder().decode(await readToEnd(connection, rest)));
    return {
      output: outputOf(connection, rest, tty),
      write: (bytes) => writeAll(connection, bytes),
      closeInput: () => connection.closeWrite(),
      [Symbol.dispose]: () => close(connection),
    };
  } catch (error) {
    close(connection);
    throw late ?? error;
  }
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
