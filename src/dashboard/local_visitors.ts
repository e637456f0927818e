import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { LoginCodes } from "./login_codes.ts";
import type { RateLimit } from "./rate_limit.ts";
import { Rights } from "./rights.ts";
import { actsOf, type Visitor, type Visitors } from "./visitors.ts";

/** Whoever came by a link that this program has printed: they are who started it, and ask with its own client. */
export class LocalVisitors implements Visitors {
  readonly login = "code";
  readonly codes: LoginCodes;
  readonly #client: KubeClient;
  readonly #rights: Rights;
  readonly #acts: RateLimit;
  readonly #cookie: string;

  /** @param port cookies are sent to all ports of a host: the name keeps those of several dashboards apart */
  constructor({ client, clock, port }: { client: KubeClient; clock: Clock; port: number }) {
    this.codes = new LoginCodes(clock);
    this.#client = client;
    this.#acts = actsOf(clock);
    this.#rights = new Rights(client, clock);
    this.#cookie = `cronjob-controller-${port}`;
  }

  // deno-lint-ignore require-await
  async visitorOf(request: Request): Promise<Visitor | undefined> {
    const session = this.#sessionOf(request);
    if (session === undefined || !this.codes.knows(session)) return undefined;
    const isStillKnown = () => Promise.resolve(this.codes.knows(session));
    return { client: this.#client, rights: this.#rights, acts: this.#acts, key: "local", isStillKnown };
  }

  logIn(code: string): Record<string, string> | undefined {
    const session = this.codes.redeem(code);
    return session === undefined ? undefined : this.#setCookie(session);
  }

  logOut(request: Request): Record<string, string> {
    const session = this.#sessionOf(request);
    if (session !== undefined) this.codes.forget(session);
    return this.#setCookie("", "; Max-Age=0");
  }

  /** The client is whose it was before. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #setCookie(value: string, more = ""): Record<string, string> {
    return { "set-cookie": `${this.#cookie}=${value}; Path=/; HttpOnly; SameSite=Strict${more}` };
  }

  #sessionOf(request: Request): string | undefined {
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim().split("="));
    return cookies.find(([name]) => name === this.#cookie)?.[1];
  }
}
