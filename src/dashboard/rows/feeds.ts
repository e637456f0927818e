import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { RequestError } from "../http/answers.ts";
import type { Commands } from "../commands.ts";
import { flavoursToFollow, type Grants, grantsOf, textOfGrants } from "../visitors/grants.ts";
import { RowFeed, type ServingProgram } from "./row_feed.ts";
import type { Visitor } from "../visitors/visitors.ts";

/** A feed stays for so long after the last page has left: who loads a page again finds all rows. */
const LINGER_MS = 30_000;

/** At a time: each keeps all that one person may follow, in a program that has something else to do. */
const MAX_FEEDS = 10;

/** Of one person: pages that look at other namespaces have feeds of their own. */
const MAX_OF_ONE = 3;

const TOO_MANY = "As many people as can be served look at it: try later";
const TOO_MANY_OF_ONE = `Your pages look at more than ${MAX_OF_ONE} sets of namespaces: close one`;

/** The use of a feed, until it is disposed of. */
export interface FeedUse extends Disposable {
  readonly feed: RowFeed;
  /** Whether who uses it may still follow all that it follows, and no more. */
  isStillGranted(): Promise<boolean>;
}

export interface FeedsOptions extends Pick<Commands, "controllers" | "history"> {
  readonly clock: Clock;
  readonly program: ServingProgram;
}

interface Running {
  readonly feed: Promise<RowFeed>;
  readonly stop: AbortController;
  users: number;
}

/**
 * One feed for all pages of a person that look at the same namespaces, as long as there is such a page. What they may follow
 * is asked before each use: a watch goes on though the right to it has been taken away, and so does what it has sent.
 */
export class Feeds implements AsyncDisposable {
  readonly #options: FeedsOptions;
  readonly #running = new Map<string, Running>();
  readonly #ends = new Set<Promise<void>>();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  /**
   * @throws {RequestError} where there is nothing that may be followed, or no place
   * @throws {ApiError} where the API server does not say what may be followed
   */
  async use(visitor: Visitor, namespaces: readonly string[]): Promise<FeedUse> {
    const grants = await grantsOf(visitor, namespaces);
    const granted = textOfGrants(grants);
    const key = [visitor.key, granted, ...namespaces.toSorted()].join("\n");
    const running = this.#running.get(key) ?? this.#start(key, visitor, namespaces, grants);
    running.users++;
    const leave = () => {
      running.users--;
      this.#options.clock.sleep(LINGER_MS, running.stop.signal)
        .then(() => running.users === 0 && this.#end(key, running), () => {/* it has ended */});
    };
    try {
      const isStillGranted = async () => textOfGrants(await grantsOf(visitor, namespaces)) === granted;
      return { feed: await running.feed, isStillGranted, [Symbol.dispose]: leave };
    } catch (error) {
      leave();
      this.#end(key, running);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [key, running] of this.#running) this.#end(key, running);
    await Promise.all(this.#ends);
  }

  #start(key: string, visitor: Visitor, namespaces: readonly string[], grants: Grants): Running {
    this.#makeRoom(visitor);
    const stop = new AbortController();
    const { client } = visitor;
    const { pods, events } = grants;
    const { controllers, ...common } = this.#options;
    const askControllers = () => controllers(client, common.clock);
    const feed = flavoursToFollow(visitor, grants, namespaces).then((flavours) =>
      new RowFeed({ ...common, client, askControllers, namespaces, flavours, pods, events })
    );
    const running = { feed, stop, users: 0 };
    this.#running.set(key, running);
    const run = async (feed: RowFeed) => {
      try {
        await feed.run(stop.signal);
      } catch (error) {
        loggerFor("dashboard").error("Cannot follow CronJobs for the dashboard: {error}", { error });
        this.#end(key, running);
      }
    };
    const end = feed.then(run, () => {/* its users learn why there is none */});
    this.#ends.add(end);
    end.finally(() => this.#ends.delete(end));
    return running;
  }

  /** @throws {RequestError} where all feeds are in use, or all that one person may have */
  #makeRoom({ key }: Visitor): void {
    const all = [...this.#running];
    const own = all.filter(([text]) => text.startsWith(`${key}\n`));
    const isOwn = own.length >= MAX_OF_ONE;
    if (!isOwn && all.length < MAX_FEEDS) return;
    const unused = (isOwn ? own : all).find(([, { users }]) => users === 0);
    if (unused) return this.#end(...unused);
    throw new RequestError(503, "TooManyPeople", isOwn ? TOO_MANY_OF_ONE : TOO_MANY);
  }

  #end(key: string, running: Running): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.stop.abort();
  }
}
