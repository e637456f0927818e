import { after, type Clock, endsWithin } from "../../../base/clock.ts";
import { Stage, unlessAborted } from "../../../base/abort.ts";
import { EngineError, type EngineName, faultOf, unreached } from "./engine_error.ts";
import { ExecConnection, type Target, UPGRADE } from "./exec_connection.ts";
import { messageOf } from "../../../telemetry/message_of.ts";

/** Where an engine listens: the path of a Unix socket. */
export interface EngineSocket {
  /** @throws {EngineError} if it is not to be had now */
  path(): Promise<string>;
  /** Called once no request is sent any more. */
  close?(): Promise<void>;
}

export interface EngineRequest {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a blob. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** @default {60_000} */
  readonly timeoutMs?: number;
}

/** The versions of Docker's API whose meaning is known here: podman 4 has the first, Docker 29 refuses all before 1.44. */
const VERSIONS = { first: 41, last: 51 };

const TIMEOUT_MS = 60_000;

const BAD_REQUEST = 400;

/** The host of all requests, an address without a machine: `NO_PROXY=*` would take those to a name off the socket. */
const HOST = "[100::]";

/** How long the program's end waits for starts and answers. */
const CLOSE_MS = 10_000;

/** Docker's HTTP API, which podman serves too. Each request that changes anything is sent once. */
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
  async get<T>(path: string, request: EngineRequest = {}): Promise<T> {
    return await this.stream("GET", path, request, (answer) => this.#json(answer)) as T;
  }

  /** Resolves with the JSON of the answer, if it has any. */
  async post<T = unknown>(path: string, request: EngineRequest = {}): Promise<T> {
    return await this.stream("POST", path, request, (answer) => this.#json(answer)) as T;
  }

  /** Calls `read` with the answer, whose body is part of the time that the request may take. */
  stream<T>(method: string, path: string, request: EngineRequest, read: (answer: Response) => Promise<T>): Promise<T> {
    return this.#ask(path, request, (target) => this.#fetch(method, target, request, read));
  }

  /** Resolves with the connection of a command that it starts. The caller closes it. */
  takeOver(path: string, body: object): Promise<ExecConnection> {
    return this.#ask(path, {}, (target) => ExecConnection.open(this.engine, target, body, UPGRADE));
  }

  /** Starts a container. docker takes no body there whose length is not known, as that of a stream. */
  async start(path: string, request: EngineRequest): Promise<void> {
    (await this.#ask(path, request, (target) => ExecConnection.open(this.engine, target, {})))[Symbol.dispose]();
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

  async #ask<T>(path: string, request: EngineRequest, send: (target: Target) => Promise<T>): Promise<T> {
    const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
    const answer = this.#prefixed().then((prefix) => this.#send(`${prefix}${path}${query}`, request, send));
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
    target: string,
    { signal: outer, timeoutMs = TIMEOUT_MS }: EngineRequest,
    send: (target: Target) => Promise<T>,
  ): Promise<T> {
    using stage = new Stage(outer);
    const { signal } = stage;
    const late = new EngineError(`${this.engine} took longer than ${timeoutMs / 1000} s`);
    using _timer = timeoutMs === Infinity ? undefined : after(this.#clock, timeoutMs, () => stage.abort(late));
    const answer = await unlessAborted(this.socketPath().then((path) => send({ path, target, signal })), signal);
    signal.throwIfAborted();
    return answer as T;
  }

  async #fetch<T>(
    method: string,
    { path, target, signal }: Target,
    { body, headers }: EngineRequest,
    read: (answer: Response) => Promise<T>,
  ): Promise<T> {
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path }, poolMaxIdlePerHost: 0 });
    try {
      const options = { method, signal, client, headers: headersOf(body, headers), body: streamOf(method, body) };
      const answer = await fetch(`http://${HOST}${target}`, options);
      if (answer.status >= 400) throw faultOf(this.engine, answer.status, await answer.text());
      return await read(answer);
    } catch (error) {
      throw error instanceof TypeError ? unreached(this.engine, error) : error;
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
    const version = await this.#send("/_ping", {}, (target) => this.#fetch("GET", target, {}, versionOf));
    const [major, minor = 0] = (version ?? "").split(".").map(Number);
    if (major === 1 && minor >= VERSIONS.first) return `/v1.${Math.min(minor, VERSIONS.last)}`;
    const needed = `1.${VERSIONS.first} or newer is needed: upgrade it`;
    throw new EngineError(`${this.engine} serves version ${version || "?"} of Docker's API; ${needed}`);
  }

  async #json(answer: Response): Promise<unknown> {
    const text = await answer.text();
    try {
      return text === "" ? undefined : JSON.parse(text);
    } catch (error) {
      throw new EngineError(`Cannot read ${this.engine}'s answer: ${messageOf(error)}`, { cause: error });
    }
  }
}

async function versionOf(answer: Response): Promise<string | null> {
  await answer.text();
  return answer.headers.get("api-version");
}

function headersOf(body: object | undefined, headers: EngineRequest["headers"]): Record<string, string> {
  return { ...body && !(body instanceof Blob) ? { "content-type": "application/json" } : {}, ...headers };
}

/** Of a body that is a stream `fetch` has no copy to send again, which Deno 2.7 does where a connection ends unanswered. */
function streamOf(method: string, body: object | undefined): ReadableStream | null {
  if (method === "GET") return null;
  return (body instanceof Blob ? body : new Blob(body ? [JSON.stringify(body)] : [])).stream();
}
