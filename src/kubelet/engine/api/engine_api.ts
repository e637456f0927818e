import { after, type Clock, endsWithin } from "../../../base/clock.ts";
import { onAbort, Stage } from "../../../base/abort.ts";
import { concat } from "../../../kube/byte_source.ts";
import { type EngineAnswer, EngineConnection } from "./engine_connection.ts";
import { EngineError, type EngineName, faultOf } from "./engine_error.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import { unlessAborted } from "../slots.ts";

/** Where an engine listens: the path of a Unix socket. */
export interface EngineSocket {
  /** @throws {EngineError} if it is not to be had now */
  path(): Promise<string>;
  /** Called once no request is sent any more. */
  close?(): Promise<void>;
}

export interface EngineRequest {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is bytes. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** @default {60_000} */
  readonly timeoutMs?: number;
}

type Method = "GET" | "POST" | "DELETE";

/** The versions of Docker's API whose meaning is known here: podman 4 has the first, Docker 29 refuses all before 1.44. */
const VERSIONS = { first: 41, last: 51 };

const TIMEOUT_MS = 60_000;

const BAD_REQUEST = 400;

/** How long the program's end waits for starts and answers. */
const CLOSE_MS = 10_000;

const NO_BODY = new Uint8Array(0);

/** Reads an answer, with what it came by. */
type Read<T> = (answer: EngineAnswer, connection: EngineConnection) => Promise<T>;

/** Docker's HTTP API, which podman serves too. Each request is sent once. */
export class EngineApi {
  readonly #socket: EngineSocket;
  readonly #clock: Clock;
  #prefix: Promise<string> | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(
    readonly engine: EngineName,
    { socket, clock }: { readonly socket: EngineSocket; readonly clock: Clock },
  ) {
    this.#socket = socket;
    this.#clock = clock;
  }

  /** Aborted when the program stops: nothing new is begun. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** @throws {EngineError} if there is none now, or the API is closed: nothing may start an engine any more */
  async socketPath(): Promise<string> {
    if (this.#isClosed) throw new EngineError("the program stops");
    return await this.#socket.path();
  }

  /** Resolves with the JSON of the answer. */
  async get<T>(path: string, request?: EngineRequest): Promise<T> {
    return await this.#ask("GET", path, request, (answer) => this.#json(answer)) as T;
  }

  /** Resolves with the JSON of the answer, if it has any. */
  async post<T = unknown>(path: string, request?: EngineRequest): Promise<T> {
    return await this.#ask("POST", path, request, (answer) => this.#json(answer)) as T;
  }

  async delete(path: string, request?: EngineRequest): Promise<void> {
    await this.#ask("DELETE", path, request, textOf);
  }

  /** Calls `read` with the answer, whose body may take as long as it takes; it ends with `signal`. */
  async stream<T>(method: Method, path: string, request: EngineRequest, read: Read<T>): Promise<T> {
    return await this.#ask(method, path, { timeoutMs: Infinity, ...request }, read);
  }

  /** Resolves with the request's connection, which is no longer HTTP's. The caller closes it. */
  async takeOver(path: string, body: object): Promise<EngineConnection> {
    const headers = { connection: "Upgrade", upgrade: "tcp" };
    return await this.#ask("POST", path, { body, headers }, (_, connection) => Promise.resolve(connection.move()));
  }

  /** Has {@linkcode close} wait for work, which may be several requests. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Resolves once all work that is under way has ended, or that takes too long. */
  async close(): Promise<void> {
    this.#closing.abort();
    await endsWithin(this.#clock, CLOSE_MS, Promise.allSettled(this.#underWay));
    this.#isClosed = true;
    await this.#socket.close?.();
  }

  async #ask<T>(method: Method, path: string, request: EngineRequest = {}, read: Read<T>): Promise<T> {
    const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
    const answer = this.#prefixed().then((prefix) => this.#send(method, `${prefix}${path}${query}`, request, read));
    try {
      return await this.during(answer);
    } catch (error) {
      // Another version of the engine may be at the socket by now, which refuses that of the API.
      if (error instanceof EngineError && error.status === BAD_REQUEST) this.#prefix = undefined;
      throw error;
    }
  }

  /** @throws the signal's reason, if it is aborted */
  async #send<T>(
    method: Method,
    target: string,
    { body, headers, signal, timeoutMs = TIMEOUT_MS }: EngineRequest,
    read: Read<T>,
  ): Promise<T> {
    using stage = new Stage(signal);
    const late = new EngineError(`${this.engine} took longer than ${timeoutMs / 1000} s`);
    using _timer = timeoutMs === Infinity ? undefined : after(this.#clock, timeoutMs, () => stage.abort(late));
    try {
      using connection = await this.#open(stage.signal);
      using _leaving = onAbort(stage.signal, () => connection[Symbol.dispose]());
      const answer = await connection.ask({ method, target, ...contentOf(body, headers) });
      if (answer.status >= 400) throw faultOf(this.engine, answer.status, await textOf(answer));
      return await read(answer, connection);
    } catch (error) {
      throw stage.signal.aborted ? stage.signal.reason : error;
    }
  }

  /** @throws the signal's reason, if it is aborted before the connection is open */
  async #open(signal: AbortSignal): Promise<EngineConnection> {
    const opening = this.socketPath().then((path) => EngineConnection.open(this.engine, path));
    try {
      return await unlessAborted(signal, opening);
    } catch (error) {
      opening.then((late) => late[Symbol.dispose](), () => {/* It was never open. */});
      throw error;
    }
  }

  /** Resolves with the highest version that both sides know, as it stands before each path. */
  #prefixed(): Promise<string> {
    return this.#prefix ??= this.#negotiate().catch((error) => {
      this.#prefix = undefined;
      throw error;
    });
  }

  async #negotiate(): Promise<string> {
    const version = await this.#send("GET", "/_ping", {}, ({ headers }) => Promise.resolve(headers.get("api-version")));
    const [major, minor = 0] = (version ?? "").split(".").map(Number);
    if (major === 1 && minor >= VERSIONS.first) return `/v1.${Math.min(minor, VERSIONS.last)}`;
    const needed = `1.${VERSIONS.first} or newer is needed: upgrade it`;
    throw new EngineError(`${this.engine} serves version ${version ?? "?"} of Docker's API; ${needed}`);
  }

  async #json(answer: EngineAnswer): Promise<unknown> {
    const text = await textOf(answer);
    try {
      return text === "" ? undefined : JSON.parse(text);
    } catch (error) {
      throw new EngineError(`Cannot read ${this.engine}'s answer: ${messageOf(error)}`, { cause: error });
    }
  }
}

function contentOf(body: object | undefined, headers: EngineRequest["headers"]) {
  if (body === undefined) return { headers: headers ?? {}, body: NO_BODY };
  if (body instanceof Uint8Array) return { headers: headers ?? {}, body };
  const content = new TextEncoder().encode(JSON.stringify(body));
  return { headers: { "content-type": "application/json", ...headers }, body: content };
}

async function textOf({ body }: EngineAnswer): Promise<string> {
  return new TextDecoder().decode(concat(await Array.fromAsync(body)));
}
