import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { LoginCodes } from "./login_codes.ts";
import type { Visitor, Visitors } from "./visitors.ts";

/** Whoever came by a link that this program has printed: they are who started it, and ask with its own client. */
export class LocalVisitors implements Visitors {
  readonly login = "code";
  readonly codes: LoginCodes;
  readonly #visitor: Visitor;
  readonly #cookie: string;

  /** @param port cookies are sent to all ports of a host: the name keeps those of several dashboards apart */
  constructor({ client, clock, port }: { client: KubeClient; clock: Clock; port: number }) {
    this.codes = new LoginCodes(clock);
    this.#visitor = { client, key: "local" };
    this.#cookie = `cronjob-controller-${port}`;
  }

  visitorOf(request: Request): Visitor | undefined {
    const session = this.#sessionOf(request);
    return session !== undefined && this.codes.knows(session) ? this.#visitor : undefined;
  }

  /** The headers of an answer that logs somebody in; undefined where the code is good for nothing. */
  logIn(code: string): Record<string, string> | undefined {
    const session = this.codes.redeem(code);
    return session === undefined ? undefined : this.#setCookie(session);
  }

  /** The headers of an answer that logs somebody out. */
  logOut(request: Request): Record<string, string> {
    const session = this.#sessionOf(request);
    if (session !== undefined) this.codes.forget(session);
    return this.#setCookie("", "; Max-Age=0");
  }

  #setCookie(value: string, more = ""): Record<string, string> {
    return { "set-cookie": `${this.#cookie}=${value}; Path=/; HttpOnly; SameSite=Strict${more}` };
  }

  #sessionOf(request: Request): string | undefined {
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim().split("="));
    return cookies.find(([name]) => name === this.#cookie)?.[1];
  }
}
