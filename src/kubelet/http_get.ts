import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { onAbort } from "../runtime/abort.ts";

/** How a server has answered, as far as a probe looks at it. */
interface HttpAnswer {
  readonly status: number;
  readonly location: string | undefined;
}

export type HttpHeaders = readonly { readonly name: string; readonly value?: string }[];

/** A server that says more than this before its content has not answered. */
const MAX_HEAD = 64 * 1024;

const HEAD_END = "\r\n\r\n";

/** Where a server is. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** @throws {Error} if there is no such page anywhere */
export function urlOf(
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
 * probes on Kubernetes; no client at hand can do both.
 *
 * @throws {Error} if there is no answer, or `signal` is aborted before
 */
export async function get(
  url: URL,
  headers: HttpHeaders,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const request = requestFor(url, headers);
  const socket = openTo(url, () => socket.write(request));
  using _inTime = onAbort(signal, () => void socket.destroy(new Error("aborted")));
  try {
    let head = "";
    for await (const piece of socket as AsyncIterable<Uint8Array>) {
      head += new TextDecoder("latin1").decode(piece);
      if (head.includes(HEAD_END) || head.length > MAX_HEAD) break;
    }
    return answerIn(head);
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

function answerIn(head: string): HttpAnswer {
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
  if (status === undefined) throw new Error(head === "" ? "EOF" : "malformed HTTP response");
  const [, location] = /^location:[ \t]*([^\r\n]*)/im.exec(head.slice(0, head.indexOf(HEAD_END))) ?? [];
  return { status: Number(status), location: location?.trim() };
}
