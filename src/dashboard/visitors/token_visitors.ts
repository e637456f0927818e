import { ApiError } from "../../kube/api_error.ts";
import type { HttpKubeClient } from "../../kube/http_client.ts";
import { CRON_JOBS } from "../../kube/resource.ts";
import { TokenBucket } from "../../kube/lanes/token_bucket.ts";
import type { Clock } from "../../base/clock.ts";
import { RequestError } from "../http/answers.ts";
import type { ResourceAttributes } from "../../kube/rights.ts";
import { personOf, type Visitor, type Visitors } from "./visitors.ts";

/** The API server answers it, one way or the other, to every user that it knows: the token is good as long as the answer is kept. */
const QUESTION: ResourceAttributes = { verb: "list", resource: CRON_JOBS, namespace: undefined };

/** After so long without any request, what is kept for a person goes. */
const IDLE_MS = 5 * 60_000;

/** People at a time. */
const MAX_KNOWN = 200;

/** How often unknown tokens are shown to the API server. */
const STRANGERS = { burst: 20, perSecond: 1 } as const;

interface Known {
  readonly person: ReturnType<typeof personOf<HttpKubeClient>>;
  usedAt: number;
}

/**
 * Visitors who send a bearer token that the API server takes. All that is asked for them is asked with that very token: the
 * program's own is never used for a person.
 */
export class TokenVisitors implements Visitors {
  readonly login = "token";
  readonly #clock: Clock;
  readonly #clientFor: (token: string) => HttpKubeClient;
  readonly #strangers: TokenBucket;
  /** By the digest of the token. */
  readonly #known = new Map<string, Known>();

  /** @param clientFor makes a client with this token for its only credential */
  constructor({ clock, clientFor }: { clock: Clock; clientFor: (token: string) => HttpKubeClient }) {
    this.#clock = clock;
    this.#clientFor = clientFor;
    this.#strangers = new TokenBucket({ clock, ...STRANGERS });
  }

  async visitorOf(request: Request): Promise<Visitor | undefined> {
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (token === undefined) return undefined;
    const digest = await digestOf(token);
    const known = this.#known.get(digest) ?? this.#meet(digest, token);
    if (!await this.#isGood(digest, known)) return undefined;
    return { ...known.person, isStillKnown: () => this.#isGood(digest, known) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#known, ([digest, known]) => this.#forget(digest, known)));
  }

  /** @throws {RequestError} where there are too many unknown ones */
  #meet(digest: string, token: string): Known {
    this.#forgetIdle();
    if (this.#known.size >= MAX_KNOWN || !this.#strangers.take()) {
      throw new RequestError(429, "TooManyRequests", "Too many people log in: try again in a few seconds");
    }
    const known: Known = {
      // By no key of the token: what was followed with a client that is closed must not be found again.
      person: personOf(this.#clientFor(token), this.#clock, crypto.randomUUID()),
      usedAt: this.#clock.monotonic(),
    };
    this.#known.set(digest, known);
    return known;
  }

  async #isGood(digest: string, known: Known): Promise<boolean> {
    // The client of who is forgotten is closed: that it gets no answer says nothing.
    if (this.#known.get(digest) !== known) return false;
    known.usedAt = this.#clock.monotonic();
    try {
      await known.person.rights.may(QUESTION);
      return true;
    } catch (error) {
      // Else it is not known whether it is good.
      if (!(error instanceof ApiError && (error.code === 401 || error.isForbidden))) throw error;
    }
    await this.#forget(digest, known);
    return false;
  }

  #forgetIdle(): void {
    const now = this.#clock.monotonic();
    for (const [digest, known] of this.#known) if (now - known.usedAt >= IDLE_MS) this.#forget(digest, known);
  }

  async #forget(digest: string, known: Known): Promise<void> {
    if (this.#known.get(digest) !== known) return;
    this.#known.delete(digest);
    await known.person.client[Symbol.asyncDispose]();
  }
}

async function digestOf(token: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))).toHex();
}
