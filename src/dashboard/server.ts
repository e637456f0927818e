import { TokenBucket } from "../kube/lanes/token_bucket.ts";
import { aborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { ownValue } from "../base/own_value.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { HttpServer } from "../telemetry/http_server.ts";
import type { ListenAddress } from "../telemetry/listen_address.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { act, isAction } from "./actions/actions.ts";
import { answerTo, failureAnswer, RequestError } from "./http/answers.ts";
import { Body } from "./http/body.ts";
import type { Commands } from "./commands.ts";
import { Feeds } from "./rows/feeds.ts";
import type { ServingProgram } from "./rows/row_feed.ts";
import { type AllowedHosts, checkOrigin, SECURITY_HEADERS } from "./http/guards.ts";
import type { PageFiles } from "./built_page.ts";
import { loadPage } from "./page_files.ts";
import type { Workings } from "./ask.ts";
import { READS } from "./routes.ts";
import { Seats } from "./http/seats.ts";
import type { Visitor, Visitors } from "./visitors/visitors.ts";
import type { Session } from "./wire.ts";

/** The common part of every session, but for the way to log in. */
export type ServedSession = Omit<Session, "isLoggedIn" | "user" | "login" | "hasLoad">;

export interface DashboardOptions {
  readonly clock: Clock;
  readonly address: ListenAddress;
  /** As PEM; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** The visitors that may use it, and the names under which it is reached, once the port is known. */
  readonly serve: (port: number) => { readonly visitors: Visitors; readonly hosts: AllowedHosts };
  readonly session: ServedSession;
  readonly commands: Commands;
  /** @default a program that has nothing more urgent to do */
  readonly program?: ServingProgram;
}

const IDLE: ServingProgram = { isBusy: false, headlines: [] };

/** How often anyone may try to log in. */
const LOGINS = { burst: 10, perSecond: 1 / 6 } as const;

/** Open at a time: each holds as much as its reader has not taken yet. */
const MAX_STREAMS = 100;

/**
 * Serves the page and what it asks for. A request is refused before its sender is looked up where it cannot be the page's
 * own; then it needs a known visitor; and then it is one of a few things that can be asked for, done in their name.
 */
export class Dashboard implements Runnable {
  readonly name = "dashboard";
  readonly port: number;
  readonly #visitors: Visitors;
  readonly #hosts: AllowedHosts;
  readonly #workings: Workings;
  readonly #logins: TokenBucket;
  readonly #server: HttpServer;
  #page: Promise<PageFiles> | undefined;

  /** @throws {ListenError} */
  constructor({ clock, address, tls, serve, session, commands, program = IDLE }: DashboardOptions) {
    this.#server = new HttpServer({
      what: "dashboard",
      address,
      tls,
      clock,
      answer: (request) => this.#respond(request),
    });
    this.port = this.#server.port;
    const { visitors, hosts } = serve(this.port);
    this.#visitors = visitors;
    this.#hosts = hosts;
    this.#logins = new TokenBucket({ clock, ...LOGINS });
    this.#workings = {
      clock,
      feeds: new Feeds({ clock, program, controllers: commands.controllers, history: commands.history }),
      seats: new Seats(MAX_STREAMS),
      commands,
      session: { ...session, login: visitors.login, hasLoad: commands.simulate !== undefined },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    await this.#workings.feeds[Symbol.asyncDispose]();
    await this.#server.close();
    await this.#visitors[Symbol.asyncDispose]();
  }

  async #respond(request: Request): Promise<Response> {
    const response = await this.#answer(request);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
    return response;
  }

  async #answer(request: Request): Promise<Response> {
    try {
      checkOrigin(request, this.#hosts);
      const { pathname } = new URL(request.url);
      return pathname.startsWith("/api/") ? await this.#api(pathname, request) : await this.#file(pathname, request);
    } catch (error) {
      const answer = answerTo(error);
      if (answer) return answer;
      const { method, url } = request;
      loggerFor("dashboard").error("Cannot answer {method} {path}: {error}", {
        method,
        path: new URL(url).pathname,
        error,
      });
      return failureAnswer({ code: 500, reason: "InternalError", message: "The log of the program says why" });
    }
  }

  async #file(path: string, { method }: Request): Promise<Response> {
    const file = method === "POST" ? undefined : ownValue(await this.#pageFiles(), path);
    if (!file) throw new RequestError(404, "NotFound", "There is no such file");
    return new Response(file.text, { headers: { "content-type": file.type } });
  }

  /** Once it could be loaded: a checkout may find no bundler for a while. */
  async #pageFiles(): Promise<PageFiles> {
    const loading = this.#page ??= loadPage();
    try {
      return await loading;
    } catch (error) {
      this.#page = undefined;
      throw error;
    }
  }

  async #api(path: string, request: Request): Promise<Response> {
    if (path === "/api/login" && request.method === "POST") return await this.#logIn(request);
    if (path === "/api/link" && request.method === "POST") return await this.#makeLink(request);
    const visitor = await this.#visitors.visitorOf(request);
    if (!visitor) return this.#unknown(path);
    if (request.method === "POST") return await this.#act(path, request, visitor);
    const read = ownValue(READS, path);
    if (!read) throw new RequestError(404, "NotFound", "There is no such thing to ask for");
    return await read({ visitor, query: new URL(request.url).searchParams, workings: this.#workings });
  }

  /** An unknown visitor may only learn how to log in. */
  #unknown(path: string): Response {
    if (path !== "/api/session") throw new RequestError(401, "Unauthorized", "Log in first");
    const { login } = this.#workings.session;
    const unknown = { login, isLoggedIn: false, isReadOnly: true, server: "", namespaces: [], hasLoad: false };
    return Response.json(unknown satisfies Session, { status: 401 });
  }

  async #logIn(request: Request): Promise<Response> {
    if (!this.#logins.take()) return tooMany();
    const code = (await Body.of(request, this.#workings.clock)).text("code");
    const headers = code === undefined ? undefined : this.#visitors.logIn?.(code);
    if (!headers) throw new RequestError(401, "Unauthorized", "This link has been used, or is too old");
    return new Response(null, { status: 204, headers });
  }

  async #makeLink(request: Request): Promise<Response> {
    if (!this.#logins.take()) return tooMany();
    const secret = (await Body.of(request, this.#workings.clock)).text("secret");
    const code = secret === undefined ? undefined : this.#visitors.codeFor?.(secret);
    if (code === undefined) throw new RequestError(401, "Unauthorized", "Another program serves this page");
    return Response.json({ code });
  }

  async #act(path: string, request: Request, visitor: Visitor): Promise<Response> {
    const name = path.startsWith(ACTIONS) ? path.slice(ACTIONS.length) : "";
    if (!isAction(name)) throw new RequestError(404, "NotFound", "There is no such thing to do");
    const { clock, session, commands } = this.#workings;
    if (session.isReadOnly) throw new RequestError(403, "ReadOnly", "This page is only to look at");
    if (!visitor.acts.take()) return tooMany();
    const body = await Body.of(request, clock);
    return Response.json(await act(name, { client: visitor.client, clock, commands, body }));
  }
}

const ACTIONS = "/api/actions/";

function tooMany(): Response {
  const failure = { code: 429, reason: "TooManyRequests", message: "Too often: try again in a few seconds" };
  return failureAnswer(failure, { "retry-after": "6" });
}
