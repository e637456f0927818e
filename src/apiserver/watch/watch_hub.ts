import { after as afterTime, type Clock } from "../../base/clock.ts";
import type { Sink } from "../http/exchange.ts";
import type { ListOptions } from "../reading/list_options.ts";
import { expiredWatch, futureVersion } from "../refusals.ts";
import type { Storage } from "../storage/storage.ts";
import type { Change } from "../storage/stored_object.ts";
import { bookmarkFrame, errorFrame, eventFrame, FrameCache, type FrameForm } from "./frames.ts";
import { type Selection, Watcher } from "./watcher.ts";

const BOOKMARK_EVERY_MS = 60_000;
/** A watch without a timeout of its own ends after this to twice this. */
const LIFE_MS = 30 * 60_000;
/** How long the last words to a watcher may take to arrive. */
const FAREWELL_MS = 10_000;

/** All open watches. Each change is written out once for each form in which a watch wants it. */
export class WatchHub {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Set<Watcher>>();
  #bookmarkTimer: Disposable;
  readonly #closing = new AbortController();

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
    storage.onChanges((changes) => this.#publish(changes));
    this.#bookmarkTimer = this.#scheduleBookmarks();
  }

  /** Serves one watch until its client goes, its time is over, or {@linkcode close} ends it. */
  open(selection: Selection, form: FrameForm, options: ListOptions, sink: Sink): void {
    const { resourceVersion: version = 0, sendInitialEvents } = options;
    const fromState = sendInitialEvents ?? version === 0;
    const { compactedVersion, lastVersion } = this.#storage;
    const isPast = !fromState && version !== 0 && version < compactedVersion;
    if (isPast || (fromState && version > lastVersion)) {
      const refusal = isPast ? expiredWatch(version, compactedVersion) : futureVersion(version, lastVersion);
      sink.write(errorFrame(refusal, form));
      return sink.end();
    }
    const after = fromState || version === 0 ? lastVersion : version;
    const watcher = new Watcher(selection, form, sink, { after, wantsBookmarks: options.allowWatchBookmarks });
    // From here to the end of this function nothing waits, so that no change comes in between.
    if (fromState) {
      this.#sendState(watcher, sendInitialEvents === true && options.allowWatchBookmarks);
    } else {
      const now = this.#clock.now();
      for (const change of this.#storage.changesAfter(selection.resource, after)) {
        watcher.send(change, new FrameCache(change, now), { missed: true });
      }
    }
    if (this.#closing.signal.aborted) return watcher.destroy();
    this.#watchers.getOrInsertComputed(selection.resource, () => new Set()).add(watcher);
    const { timeoutSeconds } = options;
    const lifeMs = timeoutSeconds ? timeoutSeconds * 1000 : LIFE_MS * (1 + Math.random());
    const end = afterTime(this.#clock, lifeMs, () => {
      watcher.bookmark(this.#storage.lastVersion);
      watcher.end();
      this.#remove(watcher);
    });
    sink.onClose(() => {
      this.#remove(watcher);
      end[Symbol.dispose]();
    });
  }

  /** Ends all watches of one resource. */
  endAll(resource: string): void {
    for (const watcher of this.#watchers.get(resource) ?? []) {
      watcher.end();
      this.#remove(watcher);
    }
  }

  close(): void {
    this.#closing.abort();
    this.#bookmarkTimer[Symbol.dispose]();
    for (const watcher of this.#all()) {
      watcher.destroy();
      this.#remove(watcher);
    }
  }

  #publish(changes: readonly Change[]): void {
    const now = this.#clock.now();
    for (const change of changes) {
      const watchers = this.#watchers.get(change.object.resource);
      if (!watchers?.size) continue;
      const frames = new FrameCache(change, now);
      for (const watcher of watchers) {
        watcher.send(change, frames);
        if (watcher.ended) this.#cutOff(watcher);
      }
    }
  }

  #sendState(watcher: Watcher, withBookmark: boolean): void {
    const { resource, namespace } = watcher.selection;
    const now = this.#clock.now();
    const frames = this.#storage.list(resource, namespace)
      .filter((object) => watcher.matches(object))
      .map((object, index) => eventFrame("ADDED", object, watcher.form, now, index === 0));
    if (withBookmark) frames.push(bookmarkFrame(this.#storage.lastVersion, watcher.form, true));
    watcher.sendInitial(frames);
  }

  async #cutOff(watcher: Watcher): Promise<void> {
    this.#remove(watcher);
    await this.#clock.sleep(FAREWELL_MS, this.#closing.signal).catch(() => {});
    watcher.destroy();
  }

  #all(): Watcher[] {
    return [...this.#watchers.values()].flatMap((watchers) => [...watchers]);
  }

  #remove(watcher: Watcher): void {
    this.#watchers.get(watcher.selection.resource)?.delete(watcher);
  }

  #scheduleBookmarks(): Disposable {
    return this.#clock.schedule(this.#clock.now() + BOOKMARK_EVERY_MS, () => {
      for (const watcher of this.#all()) watcher.bookmark(this.#storage.lastVersion);
      this.#bookmarkTimer = this.#scheduleBookmarks();
    });
  }
}
