import type { Clock } from "../base/clock.ts";
import type { Commands } from "./commands.ts";
import { RequestError } from "./http/answers.ts";
import type { Seats } from "./http/seats.ts";
import type { Feeds } from "./rows/feeds.ts";
import type { Visitor } from "./visitors/visitors.ts";
import type { Session } from "./wire.ts";

/** The parts that routes work with. */
export interface Workings {
  readonly clock: Clock;
  readonly feeds: Feeds;
  /** Of the streams of all. */
  readonly seats: Seats;
  readonly commands: Commands;
  /** The common part of every session. */
  readonly session: Omit<Session, "isLoggedIn" | "user">;
}

/** A known visitor asks. */
export interface Ask {
  readonly visitor: Visitor;
  readonly query: URLSearchParams;
  readonly workings: Workings;
}

/** @throws {RequestError} where it is missing */
export function textOf(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text) return text;
  throw new RequestError(400, "BadRequest", `The parameter ${name} is missing`);
}

/** @throws {RequestError} where a namespace is none of this page's */
export function assertServed(asked: readonly string[], { session: { namespaces: served } }: Workings): void {
  const foreign = served.length === 0 ? undefined : asked.find((name) => !served.includes(name));
  if (foreign === undefined) return;
  throw new RequestError(403, "Forbidden", `This page shows ${served.join(", ")}, and not ${foreign}`);
}
