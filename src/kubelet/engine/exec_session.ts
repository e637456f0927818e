import type { ContainerSession, SessionRequest } from "../../kube/container_session.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { killMarked } from "../process/marked_processes.ts";
import type { EngineOptions } from "./engine_options.ts";
import { EngineError } from "./api/engine_error.ts";
import type { ExecConnection } from "./api/exec_connection.ts";
import { Frames } from "./api/frames.ts";

type Engine = Pick<EngineOptions, "api" | "clock">;

/** A variable by which the processes of a command in a container are found. */
const MARK = "CRONJOB_CONTROLLER_EXEC";

const KILLED = 137;

/** How often, and at most for how many looks, the end of a command is asked for. */
const LOOK_MS = 50;
const LOOKS = 100;

const logger = loggerFor("kubelet");

/**
 * Runs a command in a container. A session that is ended before its command leaves no process.
 *
 * @throws {EngineError} if the engine does not start it
 */
export async function openExec(
  { api, clock }: Engine,
  container: string,
  { command = [], stdin, tty }: SessionRequest,
): Promise<ContainerSession> {
  const mark = `${MARK}=${crypto.randomUUID()}`;
  const { Id: id } = await api.post<{ readonly Id: string }>(`/containers/${container}/exec`, {
    body: { AttachStdin: stdin, AttachStdout: true, AttachStderr: true, Tty: tty, Env: [mark], Cmd: command },
  });
  const kill = () => killMarked(mark);
  const connection = await api.takeOver(`/exec/${id}/start`, { Detach: false, Tty: tty }).catch((error) => {
    // Without an answer, it may run.
    if (!(error instanceof EngineError && error.status !== undefined)) kill();
    throw error;
  });
  const end = new AbortController();
  const streams = divided(connection, { tty, signal: end.signal });
  const ended = streams.ended.then(() => exitCodeOf({ api, clock }, id, () => end.signal.aborted, kill))
    .finally(() => connection[Symbol.dispose]());
  ended.catch(() => {/* It may reject before anyone waits for it. */});
  return {
    stdin: stdin
      ? new WritableStream({ write: (bytes) => connection.write(bytes), close: () => connection.closeWrite() })
      : undefined,
    stdout: streams.stdout,
    stderr: tty ? undefined : streams.stderr,
    ended,
    resize({ width, height }) {
      const query = { w: String(width), h: String(height) };
      api.post(`/exec/${id}/resize`, { query }).catch((error) =>
        logger.debug("Cannot resize a terminal: {error}", { error: messageOf(error) })
      );
    },
    end() {
      end.abort();
      connection[Symbol.dispose]();
    },
  };
}

/**
 * Resolves with how a command ended whose output has ended. One that goes on without it, or of which the engine says
 * nothing, is killed: the engine may have died, which leaves the command without its client.
 *
 * @param isCut whether the client has left
 */
async function exitCodeOf({ api, clock }: Engine, id: string, isCut: () => boolean, kill: () => void): Promise<number> {
  for (let look = 0; look < LOOKS; look++) {
    if (isCut()) kill();
    const { Running, ExitCode } = await api.get<{ Running: boolean; ExitCode: number | null }>(`/exec/${id}/json`)
      .catch((error) => {
        kill();
        throw error;
      });
    if (!Running && ExitCode !== null) return ExitCode;
    await clock.sleep(LOOK_MS);
  }
  kill();
  return KILLED;
}

function divided(
  connection: ExecConnection,
  { tty, signal }: { readonly tty: boolean; readonly signal: AbortSignal },
) {
  const streams = { stdout: new TransformStream<Uint8Array>(), stderr: new TransformStream<Uint8Array>() };
  const writers = { stdout: streams.stdout.writable.getWriter(), stderr: streams.stderr.writable.getWriter() };
  const all = Object.values(writers);
  for (const writer of all) writer.closed.catch(() => {/* Its reader has left. */});
  // A write that waits for a reader waits no more.
  signal.addEventListener("abort", () => all.forEach((writer) => writer.abort().catch(() => {})), { once: true });
  const pump = async () => {
    const frames = new Frames();
    const framesIn = (bytes: Uint8Array) => tty ? [{ stream: "stdout" as const, bytes }] : frames.read(bytes);
    try {
      for await (const piece of connection.pieces()) {
        for (const { stream, bytes } of framesIn(piece)) await writers[stream].write(bytes.slice());
      }
    } catch (error) {
      logger.debug("The output of a command has ended early: {error}", { error: messageOf(error) });
    }
    for (const writer of all) writer.close().catch(() => {});
  };
  return { stdout: streams.stdout.readable, stderr: streams.stderr.readable, ended: pump() };
}
