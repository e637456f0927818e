import { request } from "node:http";
import { connect } from "node:net";
import type { Container, Probe } from "kubernetes-types/core/v1";
import { onAbort } from "../base/abort.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { ExecResult } from "./exec_command.ts";

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

/** Returns whether there is a probe and it can be carried out: by a command, or by a port that is reached at `host`. */
export function isUsable(probe: Probe | undefined, host: string | undefined): probe is Probe {
  return probe !== undefined && unusablePart(probe, host) === undefined;
}

/** Returns the probes and hooks of a container that are not carried out: `livenessProbe.grpc`, `lifecycle.preStop`. */
export function unusableHandlers(
  { startupProbe, readinessProbe, livenessProbe, lifecycle = {} }: Container,
  host: string | undefined,
): string[] {
  const parts = Object.entries({ startupProbe, readinessProbe, livenessProbe }).flatMap(([field, probe]) => {
    const part = probe && unusablePart(probe, host);
    return part ? [`${field}.${part}`] : [];
  });
  const hooks = (["postStart", "preStop"] as const).filter((hook) => lifecycle[hook]);
  return [...parts, ...hooks.map((hook) => `lifecycle.${hook}`)];
}

function unusablePart({ exec, httpGet, tcpSocket }: Probe, host: string | undefined): string | undefined {
  if (exec) return undefined;
  if (httpGet?.scheme === "HTTPS") return "httpGet.scheme";
  const part = httpGet ? "httpGet" : tcpSocket ? "tcpSocket" : "grpc";
  return part === "grpc" || host === undefined ? part : undefined;
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

/** Where a server is. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/** Asks for a page, and reads no further than to its status. A redirect is an answer, and is not followed. */
async function lookByHttp(
  { path = "/", httpHeaders = [] }: NonNullable<Probe["httpGet"]>,
  { host, port }: Address,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const headers = new Headers({ "User-Agent": "kube-probe/1", Accept: "*/*" });
  for (const { name } of httpHeaders) headers.delete(name);
  // Refuses a value that would end its line.
  for (const { name, value = "" } of httpHeaders) headers.append(name, value);
  const absolute = path.startsWith("/") ? path : `/${path}`;
  const options = { host, port, path: absolute, headers: Object.fromEntries(headers), signal, agent: false };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  try {
    request(options, (answer) => {
      resolve(answer.statusCode!);
      answer.destroy();
    }).on("error", reject).end();
    const status = await promise;
    const isSuccess = status >= 200 && status < 400;
    return isSuccess ? SUCCESS : { kind: "failure", said: `HTTP probe failed with statuscode: ${status}` };
  } catch (error) {
    const why = signal.aborted ? TOO_LATE : messageOf(error);
    return { kind: "failure", said: `Get "http://${host}:${port}${absolute}": ${why}` };
  }
}

async function lookByConnection(address: Address, signal: AbortSignal): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const socket = connect(address);
  using _inTime = onAbort(signal, () => resolve({ kind: "failure", said: TOO_LATE }));
  socket.once("connect", () => resolve(SUCCESS));
  socket.once("error", (error) => resolve({ kind: "failure", said: messageOf(error) }));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
