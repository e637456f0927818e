import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { RateLimit } from "./rate_limit.ts";
import type { Rights } from "./rights.ts";
import { Seats } from "./seats.ts";

/** Somebody who may use the page, and the client that asks the API server in their name. */
export interface Visitor {
  readonly client: KubeClient;
  readonly rights: Rights;
  /** How often this person may act. */
  readonly acts: RateLimit;
  /** Of the streams that this person may have open. */
  readonly seats: Seats;
  /** What several requests of one person have in common. */
  readonly key: string;
  /** Whether what they came with is still good. */
  isStillKnown(): Promise<boolean>;
}

/** Tells who sends a request. */
export interface Visitors extends AsyncDisposable {
  /** How one logs in. */
  readonly login: "code" | "token";
  /** Undefined where nobody is known. */
  visitorOf(request: Request): Promise<Visitor | undefined>;
  /** The headers of an answer that logs somebody in; undefined where the code is good for nothing. */
  logIn(code: string): Record<string, string> | undefined;
  /** The headers of an answer that logs somebody out. */
  logOut(request: Request): Record<string, string>;
}

/** As often as somebody presses buttons. */
export function actsOf(clock: Clock): RateLimit {
  return new RateLimit({ clock, burst: 60, perSecond: 2 });
}

/** As many streams as the open pages of one person need: one each, and one for a log. */
export function seatsOfOne(): Seats {
  return new Seats(20);
}
