import { connect, type Socket } from "node:net";
import type { Container, Probe } from "kubernetes-types/core/v1";
import { onAbort } from "../runtime/abort.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { ExecResult } from "./exec_command.ts";
import { connect as connectTls } from "node:tls";

/** What one look at a container has shown. Only successes and failures count. */
export interface ProbeResult {
  readonly kind: "success" | "failure" | "error";
  readonly said: string;
}

/** By what a container can be looked at. */
export interface ProbeMeans {
  /** Runs a command in the container. */
  readonly exec: (command: readonly string[], timeoutMs: number) => Promise<ExecResult>;
  /** Where its ports are reached. */
  readonly host?: string;
}

/** What a probe or a hook may do. */
const KINDS = ["exec", "httpGet", "sleep", "tcpSocket", "grpc"] as const;

type Kind = typeof KINDS[number];

/** A probe, or a hook. */
export type Handler = { readonly [K in Kind]?: object };

/** Returns what a handler does; undefined where there is none. */
export function kindOf(handler: Handler | undefined): Kind | undefined {
  return KINDS.find((kind) => handler?.[kind]);
}

/** Returns whether a handler can be carried out. */
export function isUsable<T extends Handler>(handler: T | undefined, host: string | undefined): handler is T {
  const kind = kindOf(handler);
  const byPort = kind === "httpGet" || kind === "tcpSocket";
  return kind === "exec" || kind === "sleep" || byPort && host !== undefined;
}

/** One look at a container. */
export interface Look {
  readonly container: Container;
  readonly probe: Probe;
  readonly means: ProbeMeans;
  readonly timeoutMs: number;
  /** Aborted when the time is up. Commands see to that themselves. */
  readonly signal: AbortSignal;
}

/** Carries a probe out once. */
export async function look({ container, probe, means, timeoutMs, signal }: Look): Promise<ProbeResult> {
  const { exec, httpGet, tcpSocket } = probe;
  try {
    if (exec) return await lookByCommand(means.exec(exec.command ?? [], timeoutMs));
    const { port: wanted, host = "" } = (httpGet ?? tcpSocket)!;
    const port = portOf(container, wanted);
    if (port === undefined) return { kind: "error", said: `couldn't find port: ${wanted} in ports of the container` };
    const address = { host: host || means.host!, port };
    return httpGet ? await lookByHttp(httpGet, address, signal) : await lookByConnection(address, signal);
  } catch (error) {
    return { kind: "failure", said: messageOf(error) };
  }
}

/** A command that could not be run says nothing of the container. */
async function lookByCommand(command: Promise<ExecResult>): Promise<ProbeResult> {
  try {
    const { code, output } = await command;
    return { kind: code === 0 ? "success" : "failure", said: output };
  } catch (error) {
    return { kind: "error", said: messageOf(error) };
  }
}

/** Returns a port, if there is such a one. A name of the container's ports goes before a number in words. */
function portOf({ ports = [] }: Container, wanted: string | number): number | undefined {
  const port = Number(ports.find(({ name }) => name === wanted)?.containerPort ?? wanted);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

const TOO_LATE = "no answer in time";

const SUCCESS: ProbeResult = { kind: "success", said: "" };

type HttpGet = NonNullable<Probe["httpGet"]>;

async function lookByHttp(httpGet: HttpGet, address: Address, signal: AbortSignal): Promise<ProbeResult> {
  let url: URL;
  try {
    url = urlOf(httpGet, address);
  } catch (error) {
    return { kind: "error", said: messageOf(error) };
  }
  try {
    const status = await get(url, httpGet.httpHeaders ?? [], signal);
    const isSuccess = status >= 200 && status < 400;
    return isSuccess ? SUCCESS : { kind: "failure", said: `HTTP probe failed with statuscode: ${status}` };
  } catch (error) {
    return { kind: "failure", said: `Get "${url}": ${signal.aborted ? TOO_LATE : messageOf(error)}` };
  }
}

async function lookByConnection({ host, port }: Address, signal: AbortSignal): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const socket = connect({ host, port });
  using _inTime = onAbort(signal, () => resolve({ kind: "failure", said: TOO_LATE }));
  socket.once("connect", () => resolve(SUCCESS));
  socket.once("error", (error) => resolve({ kind: "failure", said: messageOf(error) }));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

type HttpHeaders = readonly { readonly name: string; readonly value?: string }[];

/** A longer first line is no answer. */
const MAX_LINE = 64 * 1024;

/** Where a server is. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/** @throws {Error} if there is no such page anywhere */
function urlOf(
  { path = "/", scheme = "HTTP" }: { readonly path?: string; readonly scheme?: string },
  { host, port }: Address,
): URL {
  const server = `${scheme.toLowerCase()}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  try {
    return new URL(`${server}${path.startsWith("/") ? "" : "/"}${path}`);
  } catch (error) {
    throw new Error(`cannot be asked: ${server}${path}`, { cause: error });
  }
}

/**
 * Asks for a page, and reads no further than to its status. Certificates are not verified and `Host` may be any, as for
 * probes on Kubernetes; no client at hand can do both. A redirect is an answer, and is not followed.
 *
 * @returns the status
 * @throws {Error} if there is no answer, or `signal` is aborted before
 */
async function get(url: URL, headers: HttpHeaders, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const request = requestFor(url, headers);
  const socket = openTo(url, () => socket.write(request));
  using _inTime = onAbort(signal, () => void socket.destroy(new Error("aborted")));
  try {
    let text = "";
    for await (const piece of socket as AsyncIterable<Uint8Array>) {
      text += new TextDecoder("latin1").decode(piece);
      if (text.includes("\n") || text.length > MAX_LINE) break;
    }
    return statusIn(text);
  } finally {
    socket.destroy();
  }
}

function openTo({ protocol, hostname, port }: URL, onOpen: () => void): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:") return connect({ host, port: Number(port || 80) }, onOpen);
  return connectTls(
    { host, port: Number(port || 443), rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
    onOpen,
  );
}

function requestFor(url: URL, headers: HttpHeaders): string {
  const all = new Headers({ Host: url.host, "User-Agent": "kube-probe/1", Accept: "*/*" });
  for (const { name } of headers) all.delete(name);
  // Refuses what would end its line.
  for (const { name, value = "" } of headers) all.append(name, value);
  const lines = [...all].filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}Connection: close\r\n\r\n`;
}

function statusIn(text: string): number {
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(text) ?? [];
  if (status === undefined) throw new Error(text === "" ? "EOF" : "malformed HTTP response");
  return Number(status);
}
