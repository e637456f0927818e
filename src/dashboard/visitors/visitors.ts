import type { KubeClient } from "../../kube/client.ts";
import { TokenBucket } from "../../kube/lanes/token_bucket.ts";
import type { Clock } from "../../base/clock.ts";
import { Rights } from "../../kube/rights.ts";
import { Seats } from "../http/seats.ts";

/** A user who may use the page, and the client that asks the API server in their name. */
export interface Visitor {
  readonly client: KubeClient;
  readonly rights: Rights;
  /** How often this person may act. */
  readonly acts: TokenBucket;
  /** Of the streams that this person may have open. */
  readonly seats: Seats;
  /** The key that several requests of one person share. */
  readonly key: string;
  /** Whether what they came with is still good. */
  isStillKnown(): Promise<boolean>;
}

/** Finds out who sends a request. */
export interface Visitors extends AsyncDisposable {
  /** How one logs in. */
  readonly login: "code" | "token";
  /** Undefined where the visitor is unknown. */
  visitorOf(request: Request): Promise<Visitor | undefined>;
  /** The headers of an answer that logs a visitor in; undefined where the code is good for nothing. */
  logIn?(code: string): Record<string, string> | undefined;
  /** A new code for who knows the secret of this program; undefined where there is none for them. */
  codeFor?(secret: string): string | undefined;
}

/** Returns what is kept for a person, who presses buttons so often, and opens so many pages, and a log in each. */
export function personOf<Client extends KubeClient>(client: Client, clock: Clock, key: string) {
  return {
    client,
    rights: new Rights(client, clock),
    acts: new TokenBucket({ clock, burst: 60, perSecond: 2 }),
    seats: new Seats(20),
    key,
  };
}
