import type { KubeObject } from "../kube/object.ts";
import type { ReadHold } from "./due_starts.ts";
import type { ChangeHandler, Informer } from "./informer.ts";
import type { Cached, Change, ReadOnly, Store } from "./store.ts";
import type { FollowingCache } from "./take_over.ts";

/** A cache as controllers see it, which several of them may share: an {@linkcode Informer}, or a view of one. */
export interface Cache<T extends Cached, IndexName extends string = never>
  extends
    FollowingCache,
    Pick<Informer<KubeObject>, "what" | "connected" | "listedAt" | "error" | "expectNews" | "run"> {
  readonly store: Store<T, IndexName>;
  /** Puts off the reading of events, where that is possible. */
  readonly hold: ReadHold | undefined;
  /** Calls `handler` for every change from now on, after what is there already; disposing of the result ends that. */
  onChange(handler: ChangeHandler<T>): Disposable;
}

/**
 * Returns the same cache, whose objects are what `read` makes of them: cheap, and the same each time for the same
 * version.
 */
export function viewOf<T extends Cached, U extends Cached, IndexName extends string>(
  cache: Cache<T, IndexName>,
  read: (object: ReadOnly<T>) => ReadOnly<U>,
): Cache<U, IndexName> {
  const { store } = cache;
  return {
    what: cache.what,
    hold: cache.hold,
    store: {
      get size() {
        return store.size;
      },
      get isReady() {
        return store.isReady;
      },
      get: (key) => {
        const object = store.get(key);
        return object && read(object);
      },
      values: () => Iterator.from(store.values()).map(read),
      byIndex: (index, value) => store.byIndex(index, value).map(read),
      ready: () => store.ready(),
    },
    get synced() {
      return cache.synced;
    },
    get connected() {
      return cache.connected;
    },
    get listedAt() {
      return cache.listedAt;
    },
    get error() {
      return cache.error;
    },
    onChange: (handler) => cache.onChange((change) => handler(readChange(change, read))),
    ready: () => cache.ready(),
    refresh: (occasion) => cache.refresh(occasion),
    expectNews: (object) => cache.expectNews(object),
    run: (signal) => cache.run(signal),
  };
}

function readChange<T, U>(change: Change<T>, read: (object: ReadOnly<T>) => ReadOnly<U>): Change<U> {
  const object = read(change.object);
  return change.type === "modified"
    ? { type: change.type, object, previous: read(change.previous) }
    : { type: change.type, object };
}
