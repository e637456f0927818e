import { servedFlavours } from "../cronjob/served_flavours.ts";
import { EVENTS, PODS, type Resource } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { RowFeed } from "./row_feed.ts";
import type { Visitor } from "./visitors.ts";

/** A feed stays for so long after the last page has left: who loads a page again finds all rows. */
const LINGER_MS = 30_000;

/** The use of a feed, until it is disposed of. */
export interface FeedUse extends Disposable {
  readonly feed: RowFeed;
}

interface Running {
  readonly feed: Promise<RowFeed>;
  readonly stop: AbortController;
  users: number;
}

/** One feed for all pages of a person that look at the same namespaces, as long as there is such a page. */
export class Feeds implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  readonly #running = new Map<string, Running>();
  readonly #ends = new Set<Promise<void>>();

  /** @param isBusy whether the program has more urgent things to do */
  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
  }

  /** @throws {ApiError} where the API server does not say what may be followed */
  async use(visitor: Visitor, namespaces: readonly string[]): Promise<FeedUse> {
    const key = [visitor.key, ...namespaces.toSorted()].join("\n");
    const running = this.#running.get(key) ?? this.#start(key, visitor, namespaces);
    running.users++;
    let isUsed = true;
    const leave = () => {
      if (!isUsed) return;
      isUsed = false;
      running.users--;
      this.#clock.sleep(LINGER_MS, running.stop.signal)
        .then(() => running.users === 0 && this.#end(key, running), () => {/* it has ended */});
    };
    try {
      return { feed: await running.feed, [Symbol.dispose]: leave };
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

  #start(key: string, visitor: Visitor, namespaces: readonly string[]): Running {
    const stop = new AbortController();
    const feed = feedFor(visitor, namespaces, { clock: this.#clock, isBusy: this.#isBusy });
    const running = { feed, stop, users: 0 };
    this.#running.set(key, running);
    const end = feed.then((feed) => feed.run(stop.signal)).catch((error) => {
      loggerFor("dashboard").error("Cannot follow CronJobs for the dashboard: {error}", { error });
      this.#end(key, running);
    });
    this.#ends.add(end);
    end.finally(() => this.#ends.delete(end));
    return running;
  }

  #end(key: string, running: Running): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.stop.abort();
  }
}

/** Follows what this person may follow: views do without Pods and Events. */
async function feedFor(
  { client, rights }: Visitor,
  namespaces: readonly string[],
  running: { readonly clock: Clock; readonly isBusy: () => boolean },
): Promise<RowFeed> {
  const mayFollow = async (resource: Resource) =>
    await rights.mayEverywhere({ verb: "list", resource }, namespaces) &&
    await rights.mayEverywhere({ verb: "watch", resource }, namespaces);
  const [served, pods, events] = await Promise.all([servedFlavours(client), mayFollow(PODS), mayFollow(EVENTS)]);
  const may = await Promise.all(served.map(({ resource }) => mayFollow(resource)));
  const flavours = served.filter((_, index) => may[index]);
  return new RowFeed({
    ...running,
    client,
    namespaces,
    flavours: flavours.length > 0 ? flavours : served,
    pods,
    events,
  });
}
