import type { Clock } from "../runtime/clock.ts";
import { jsonAnswer, linesAnswer } from "./answers.ts";
import type { Feeds } from "./feeds.ts";
import { rowsMessages } from "./rows_stream.ts";
import type { Visitor } from "./visitors.ts";
import type { Session } from "./wire.ts";

/** What routes work with. */
export interface Workings {
  readonly clock: Clock;
  readonly feeds: Feeds;
  /** What every session has in common. */
  readonly session: Omit<Session, "isLoggedIn" | "user">;
}

/** Somebody who is known asks. */
export interface Ask {
  readonly visitor: Visitor;
  readonly query: URLSearchParams;
  readonly workings: Workings;
}

/** All that can be asked for: nothing else reaches the API server, and none of these passes a request on as it came. */
export const READS: Readonly<Record<string, (ask: Ask) => Response | Promise<Response>>> = {
  "/api/session": ({ workings: { session } }) => jsonAnswer({ ...session, isLoggedIn: true } satisfies Session),
  "/api/rows": async ({ visitor, workings: { clock, feeds, session } }) => {
    const use = await feeds.use(visitor, session.namespaces);
    return linesAnswer(async function* (signal) {
      using _use = use;
      yield* rowsMessages(use.feed, clock, signal);
    });
  },
};
