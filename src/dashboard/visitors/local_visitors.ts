import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import { LoginCodes, randomSecret, sameText } from "./login_codes.ts";
import { personOf, type Visitor, type Visitors } from "./visitors.ts";

/** Visitors who came by a link that this program has printed: they started it, and ask with its own client. */
export class LocalVisitors implements Visitors {
  readonly login = "code";
  readonly codes: LoginCodes;
  /** A caller with this secret may make links. */
  readonly secret = randomSecret();
  readonly #person: ReturnType<typeof personOf>;
  readonly #cookie: string;

  /** @param port cookies are sent to all ports of a host: the name keeps those of several dashboards apart */
  constructor({ client, clock, port }: { client: KubeClient; clock: Clock; port: number }) {
    this.codes = new LoginCodes(clock);
    this.#person = personOf(client, clock, "local");
    this.#cookie = `cronjob-controller-${port}`;
  }

  // deno-lint-ignore require-await
  async visitorOf(request: Request): Promise<Visitor | undefined> {
    const session = this.#sessionsOf(request).find((session) => this.codes.knows(session));
    if (session === undefined) return undefined;
    return { ...this.#person, isStillKnown: () => Promise.resolve(this.codes.knows(session)) };
  }

  logIn(code: string): Record<string, string> | undefined {
    const session = this.codes.redeem(code);
    if (session === undefined) return undefined;
    return { "set-cookie": `${this.#cookie}=${session}; Path=/; HttpOnly; SameSite=Strict` };
  }

  codeFor(secret: string): string | undefined {
    return sameText(secret, this.secret) ? this.codes.issue() : undefined;
  }

  /** The client stays open: its owner closes it. */
  async [Symbol.asyncDispose](): Promise<void> {}

  /** A server on another port of this machine can set cookies of the same name: they shut no visitor out. */
  #sessionsOf(request: Request): string[] {
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim().split("="));
    return cookies.flatMap(([name, value]) => name === this.#cookie && value !== undefined ? [value] : []);
  }
}
