import { after, type Clock, endsWithin } from "../../../runtime/clock.ts";
import { Stage } from "../../../runtime/abort.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import { EngineError, type EngineName } from "./engine_error.ts";
import { faultOf } from "./known_faults.ts";

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

/** How long the program's end waits for answers. */
const CLOSE_MS = 10_000;

/** Docker's HTTP API, which podman serves too. */
export class EngineApi {
  readonly #socket: EngineSocket;
  readonly #clock: Clock;
  #connected: { readonly path: string; readonly client: Deno.HttpClient } | undefined;
  #prefix: Promise<string> | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(
    readonly engine: EngineName,
    { socket, clock }: { readonly socket: EngineSocket; readonly clock: Clock },
  ) {
    this.#socket = socket;
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws {EngineError} if there is none now, or the API is closed: nothing may start an engine any more */
  async socketPath(): Promise<string> {
    if (this.#isClosed) throw new EngineError("the program stops");
    return await this.#socket.path();
  }

  /**
   * Resolves with what stands before each path: the highest version that both sides know.
   *
   * @throws {EngineError} if there is none
   */
  async prefix(): Promise<string> {
    this.#prefix ??= this.#negotiate();
    try {
      return await this.#prefix;
    } catch (error) {
      this.#prefix = undefined;
      throw error;
    }
  }

  /** Resolves with the JSON of the answer. */
  async get<T>(path: string, request?: EngineRequest): Promise<T> {
    return await this.#ask("GET", path, request, (response) => response.json()) as T;
  }

  /** Resolves with the JSON of the answer, if it has any. */
  async post<T = unknown>(path: string, request?: EngineRequest): Promise<T> {
    const parse = async (response: Response) => {
      const text = await response.text();
      return text === "" || response.status === 204 || response.status === 304 ? undefined : JSON.parse(text);
    };
    return await this.#ask("POST", path, request, parse) as T;
  }

  async delete(path: string, request?: EngineRequest): Promise<void> {
    await this.#ask("DELETE", path, request, (response) => response.text());
  }

  /** Calls `read` with the answer, whose body may take as long as it takes; it ends with `signal`. */
  async stream<T>(
    method: Method,
    path: string,
    request: EngineRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    return await this.#ask(method, path, { timeoutMs: Infinity, ...request }, read);
  }

  /** Resolves once what was asked for has been answered, or that takes too long. */
  async close(): Promise<void> {
    await endsWithin(this.#clock, CLOSE_MS, Promise.allSettled(this.#underWay));
    this.#isClosed = true;
    this.#connected?.client.close();
    this.#connected = undefined;
    await this.#socket.close?.();
  }

  async #ask<T>(
    method: Method,
    path: string,
    request: EngineRequest = {},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const answer = (async () => {
      const target = `${await this.prefix()}${path}?${new URLSearchParams(request.query)}`;
      return await this.#send(method, target, request, read);
    })();
    this.#underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      // Another version of the engine may be at the socket by now, which refuses that of the API.
      if (error instanceof EngineError && error.status === BAD_REQUEST) this.#prefix = undefined;
      throw error;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /** @throws the signal's reason, if it is aborted */
  async #send<T>(
    method: Method,
    target: string,
    { body, headers, signal, timeoutMs = TIMEOUT_MS }: EngineRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    using stage = new Stage(signal);
    const late = new EngineError(`${this.engine} took longer than ${timeoutMs / 1000} s`);
    using _timer = timeoutMs === Infinity ? undefined : after(this.#clock, timeoutMs, () => stage.abort(late));
    try {
      const client = await this.#client();
      const response = await fetch(`http://engine${target}`, {
        method,
        client,
        headers: { ...body && !(body instanceof Uint8Array) ? { "content-type": "application/json" } : {}, ...headers },
        body: body instanceof Uint8Array ? body as Uint8Array<ArrayBuffer> : body && JSON.stringify(body),
        redirect: "error",
        signal: stage.signal,
      });
      if (response.status >= 400) throw faultOf(this.engine, response.status, await response.text());
      return await read(response);
    } catch (error) {
      if (stage.signal.aborted) throw stage.signal.reason;
      if (error instanceof EngineError) throw error;
      throw new EngineError(`Cannot reach ${this.engine}: ${messageOf(error)}`, { cause: error });
    }
  }

  async #client(): Promise<Deno.HttpClient> {
    const path = await this.socketPath();
    if (this.#connected?.path !== path) {
      this.#connected?.client.close();
      // A connection that is kept would outlive the engine's process.
      const client = Deno.createHttpClient({ proxy: { transport: "unix", path }, poolMaxIdlePerHost: 0 });
      this.#connected = { path, client };
    }
    return this.#connected.client;
  }

  async #negotiate(): Promise<string> {
    const version = await this.#send("GET", "/_ping", {}, async (response) => {
      await response.text();
      return response.headers.get("api-version") ?? "";
    });
    const [major, minor = 0] = version.split(".").map(Number);
    if (major === 1 && minor >= VERSIONS.first) return `/v1.${Math.min(minor, VERSIONS.last)}`;
    throw new EngineError(
      `${this.engine} serves version ${
        version || "?"
      } of Docker's API; 1.${VERSIONS.first} or newer is needed: upgrade it`,
    );
  }
}
