import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../suite/random.ts";
import { HttpWire, type WireRequest } from "./http_wire.ts";
import {
  type Asked,
  askedFor,
  type FaultRule,
  hits,
  type Misfit,
  type RequestFault,
  requestFaultFor,
  type Target,
  type WatchFault,
  watchFaultFor,
} from "./rules.ts";
import { lines } from "../../support/lines.ts";

/** The API server behind the proxy. */
export interface Upstream {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
}

/** A process is to be killed at a request: the n-th of the target from now on, before or after the server has seen it. */
export interface Kill {
  readonly pid: number;
  readonly nth: number;
  readonly when: "before" | "after";
  readonly target?: Target | undefined;
}

/** Called with each request that comes; that for a new Job has the Job's name. */
export type OnRequest = (asked: Asked) => void;

const JSON_HEADERS = { "content-type": "application/json" } as const;
const GARBAGE = new TextEncoder().encode('<html><body>It works!</body></html>\n{"kind": "Pod');

/** Stands between a controller and its API server, and does to requests and answers what the rules say. */
export class FaultProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #upstream: Upstream;
  readonly #onRequest: OnRequest;
  readonly #client: Deno.HttpClient;
  readonly #wires = new Set<HttpWire>();
  readonly #watches = new Set<Relay>();
  #rules: readonly FaultRule[] = [];
  #random = new Random(0);
  #kill: Kill | undefined;

  constructor(upstream: Upstream, onRequest: OnRequest) {
    this.#upstream = upstream;
    this.#onRequest = onRequest;
    this.#client = Deno.createHttpClient({ caCerts: [upstream.caCertificate], http1: true, http2: false });
    this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** The faults from now on, in place of those before. */
  set(rules: readonly FaultRule[], seed: number): void {
    this.#rules = rules;
    this.#random = new Random(seed);
    this.#kill = undefined;
    for (const watch of this.#watches) watch.suffer(watchFaultFor(rules, watch.asked, this.#random));
  }

  /** From now on nothing comes through the connections that are open; new ones work. */
  forget(): void {
    for (const wire of this.#wires) wire.forget();
  }

  /** Holds until the rules change. */
  kill(kill: Kill): void {
    this.#kill = kill;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const wire of this.#wires) wire[Symbol.dispose]();
    this.#client.close();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      connection.setNoDelay(true);
      this.#serve(new HttpWire(connection));
    }
  }

  async #serve(wire: HttpWire): Promise<void> {
    this.#wires.add(wire);
    try {
      for (let request; !wire.isOver && (request = await wire.request());) await this.#handle(wire, request);
    } catch {
      // The client has gone away, or the server has: the client's connection ends.
    }
    // What was forgotten stays open until the proxy ends.
    if (wire.isForgotten) return;
    this.#wires.delete(wire);
    wire[Symbol.dispose]();
  }

  async #handle(wire: HttpWire, request: WireRequest): Promise<void> {
    const asked = askedFor(request.method, new URL(request.path, this.#upstream.url));
    const job = asked.verb === "create" && asked.resource === "jobs" ? nameIn(request) : undefined;
    this.#onRequest({ ...asked, name: job ?? asked.name });
    const kill = this.#killNow(asked);
    if (kill) {
      if (kill.when === "after") await (await this.#forward(request)).arrayBuffer();
      Deno.kill(kill.pid, "SIGKILL");
      return wire[Symbol.dispose]();
    }
    const fault = requestFaultFor(this.#rules, asked, this.#random);
    if (asked.verb === "watch" && !fault) return await this.#watch(wire, request, asked);
    await this.#answer(wire, request, { fault, asked });
  }

  async #answer(
    wire: HttpWire,
    request: WireRequest,
    { fault, asked }: { fault: RequestFault | undefined; asked: Asked },
  ): Promise<void> {
    const isFirst = fault !== undefined && comesFirst(fault);
    if (isFirst && fault.kind !== "delay") return await refuse(wire, fault, asked);
    if (isFirst && fault.kind === "delay") await sleep(fault.ms);
    const response = await this.#forward(request);
    const body = await response.bytes();
    const headers = { "content-type": response.headers.get("content-type") ?? "application/json" };
    if (fault && !isFirst) {
      if (fault.kind === "reset" && fault.when === "midway") return await wire.tear(response.status, headers, body);
      if (fault.kind !== "delay") return await refuse(wire, fault, asked);
      await sleep(fault.ms);
    }
    await wire.answer(response.status, headers, body);
  }

  async #watch(wire: HttpWire, request: WireRequest, asked: Asked): Promise<void> {
    const end = new AbortController();
    const response = await this.#forward(request, end.signal);
    if (!response.ok) return await wire.answer(response.status, JSON_HEADERS, await response.bytes());
    const relay = new Relay(wire, asked);
    this.#watches.add(relay);
    wire.gone().then(() => end.abort());
    try {
      await wire.begin(200, JSON_HEADERS);
      relay.suffer(watchFaultFor(this.#rules, asked, this.#random));
      for await (const line of lines(response.body!)) await relay.pass(line);
      await relay.end();
    } finally {
      end.abort();
      this.#watches.delete(relay);
      // Who reads for the end of the connection would take the next request for itself.
      if (relay.isMuted) wire.forget();
      else if (!wire.isForgotten) wire[Symbol.dispose]();
    }
  }

  #forward({ method, path, headers, body }: WireRequest, signal?: AbortSignal): Promise<Response> {
    const passed = new Headers({ authorization: `Bearer ${this.#upstream.token}` });
    for (const name of ["accept", "content-type", "user-agent"]) {
      const value = headers.get(name);
      if (value !== null) passed.set(name, value);
    }
    const url = this.#upstream.url + path;
    const given = { body: body ?? null, signal: signal ?? null };
    return fetch(url, { ...given, method, headers: passed, redirect: "manual", client: this.#client });
  }

  #killNow(asked: Asked): Kill | undefined {
    const kill = this.#kill;
    if (!kill || !hits(kill.target ?? {}, asked)) return undefined;
    this.#kill = kill.nth > 1 ? { ...kill, nth: kill.nth - 1 } : undefined;
    return this.#kill ? undefined : kill;
  }
}

/** A watch on its way through, line by line. */
class Relay {
  readonly asked: Asked;
  readonly #wire: HttpWire;
  #fault: WatchFault | undefined;
  #muted = false;
  #held: string[] = [];
  /** Writes one after the other, also of several callers. */
  #turn: Promise<void> = Promise.resolve();
  /** The newest event of each object, by its UID. */
  readonly #newest = new Map<string, string>();

  constructor(wire: HttpWire, asked: Asked) {
    this.#wire = wire;
    this.asked = asked;
  }

  /** Whether the connection is to stay open though nothing comes any more. */
  get isMuted(): boolean {
    return this.#muted;
  }

  suffer(fault: WatchFault | undefined): void {
    if (this.#fault?.kind === "stale") { for (const line of this.#newest.values()) this.#send(line); }
    this.#fault = fault;
    if (fault?.kind === "mute") this.#muted = true;
    if (fault?.kind !== "stall") { for (const line of this.#held.splice(0)) this.#send(line); }
    if (fault?.kind === "end") this.end().then(() => this.#wire[Symbol.dispose](), () => {});
    if (fault?.kind === "gone") this.#gone();
    if (fault?.kind === "garbage") this.#queue(() => this.#wire.chunk("<html>busy</html>\n"));
  }

  async pass(line: string): Promise<void> {
    const before = this.#noteNewest(line);
    if (this.#muted) return;
    switch (this.#fault?.kind) {
      case "stall":
        this.#held.push(line);
        return;
      case "delay":
        await sleep(this.#fault.ms);
        return await this.#send(line);
      case "double":
        await this.#send(line);
        return await this.#send(line);
      case "stale":
        await this.#send(line);
        return before === undefined ? undefined : await this.#send(before);
      case "tear":
        await this.#queue(() => this.#wire.chunk(line.slice(0, line.length / 2)));
        return this.#wire[Symbol.dispose]();
      default:
        return await this.#send(line);
    }
  }

  end(): Promise<void> {
    return this.#muted ? Promise.resolve() : this.#queue(() => this.#wire.end());
  }

  /** Returns the event of this object before it; undefined where there was none, or the object is gone. */
  #noteNewest(line: string): string | undefined {
    const { type, object: { metadata } } = JSON.parse(line);
    const before = this.#newest.get(metadata?.uid);
    if (type === "ADDED" || type === "MODIFIED") this.#newest.set(metadata.uid, line);
    else this.#newest.delete(metadata?.uid);
    return type === "DELETED" ? undefined : before;
  }

  async #gone(): Promise<void> {
    const object = status(410, "Expired");
    await this.#send(JSON.stringify({ type: "ERROR", object }));
    await this.end();
    this.#wire[Symbol.dispose]();
  }

  #send(line: string): Promise<void> {
    return this.#queue(() => this.#wire.chunk(`${line}\n`));
  }

  #queue(write: () => Promise<void>): Promise<void> {
    return this.#turn = this.#turn.then(write, write).catch(() => {});
  }
}

/** Whether it strikes before the server has seen the request. */
function comesFirst(fault: RequestFault): boolean {
  return fault.kind === "answer" ? !fault.after : fault.when === "before";
}

async function refuse(wire: HttpWire, fault: RequestFault, asked: Asked): Promise<void> {
  if (fault.kind === "silence") return wire.forget();
  if (fault.kind !== "answer") return wire[Symbol.dispose]();
  const { code, headers } = fault;
  const type = fault.body === "garbage" ? "text/html" : "application/json";
  await wire.answer(code, { "content-type": type, ...headers }, bodyOf(fault, asked));
}

function bodyOf({ body, code }: RequestFault & { kind: "answer" }, asked: Asked): Uint8Array {
  if (body === "nothing") return new Uint8Array();
  if (body === "garbage") return GARBAGE;
  const object = body === "Status" ? status(code, REASONS[code] ?? "InternalError") : MISFIT_BODIES[body](asked);
  return new TextEncoder().encode(JSON.stringify(object));
}

const MISFIT_BODIES: Readonly<Record<Misfit, (asked: Asked) => object>> = {
  "success": () => ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }),
  "a kind of nobody's": () => ({ kind: "Nobody" }),
  "an empty object": () => ({}),
  "another Job": ({ namespace }) => ({ apiVersion: "batch/v1", kind: "Job", metadata: strangeMetadata(namespace) }),
  "another kind": ({ namespace }) => ({ apiVersion: "v1", kind: "Event", metadata: strangeMetadata(namespace) }),
};

function strangeMetadata(namespace: string | undefined): object {
  return {
    name: "another",
    namespace,
    uid: "another",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
}

const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function status(code: number, reason: string): object {
  const message = "a fault on the way";
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}

function nameIn({ body }: WireRequest): string {
  return JSON.parse(new TextDecoder().decode(body)).metadata.name;
}
