import { ApiError } from "../kube/api_error.ts";
import type { ObjectList, WatchEvent } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";
import { isOlderVersion } from "../kube/resource_version.ts";
import type { Clock } from "../base/clock.ts";

/**
 * An event about the objects of a resource.
 *
 * A list comes as `Init`, any number of `InitPage`, `InitDone`: what is in none of the pages is gone by then. An `Init`
 * may come again at any time, also before `InitDone`: the list begins anew. `Apply` and `Delete` come only outside of a
 * list. `Error` changes nothing: the watcher goes on by itself, after a while.
 */
export type WatcherEvent<T> =
  | { readonly type: "Init" }
  | { readonly type: "InitPage"; readonly objects: readonly T[] }
  | { readonly type: "InitDone" }
  | { readonly type: "Apply"; readonly object: T }
  | { readonly type: "Delete"; readonly object: T }
  | { readonly type: "Error"; readonly error: unknown };

/**
 * Where a watcher stands. All recovery is a choice of the next state:
 *
 * ```
 * empty --> listing --(last page)--> listed --> idle --(watch opened)--> watching
 *   ^          |                                 ^                          |
 *   |<---------'  page refused                   '-(version known)- ended <-'  stream ended
 *   |<---- the server was set back to an older state -----------------'     |
 *   '---------------- 410: version forgotten, or relist() ------------------'
 * ```
 */
export type State<T> =
  | { readonly name: "empty" }
  | { readonly name: "listing"; readonly continueToken: string | undefined }
  | { readonly name: "listed"; readonly resourceVersion: string }
  | { readonly name: "idle"; readonly resourceVersion: string }
  | { readonly name: "ended"; readonly resourceVersion: string }
  | Watching<T>;

interface Watching<T> {
  readonly name: "watching";
  readonly resourceVersion: string;
  readonly stream: Stream<T>;
  /** Whether the stream has delivered no event yet. */
  readonly isNew: boolean;
}

/** One watch. */
export interface Stream<T> {
  readonly events: AsyncIterator<WatchEvent<T>>;
  /** Ends the watch, for another to go on from its version. */
  readonly end: AbortController;
  /** Monotonic. */
  readonly startedAt: number;
  /** Whether the server has begun to answer. */
  isOpen: boolean;
}

/** The source of a watcher. */
export interface Source<T extends KubeObject> {
  readonly clock: Pick<Clock, "monotonic">;
  list(continueToken: string | undefined, signal: AbortSignal): Promise<ObjectList<T>>;
  /** The server's newest version. */
  version(signal: AbortSignal): Promise<string>;
  open(resourceVersion: string, signal: AbortSignal): Stream<T>;
}

/** The outcome of a state: the next state, and the event to report. */
export interface Step<T> {
  readonly next: State<T>;
  readonly event?: WatcherEvent<T>;
  /** Whether to wait as after a failure before the next step. */
  readonly pause?: boolean;
}

/** A watch that ends sooner than this without an event counts as a failure: the next one waits. */
const SHORT_WATCH_MS = 1_000;

/** Goes one step on. Rejects with the server's refusal, or the failure of the connection to it. */
export function step<T extends KubeObject>(
  source: Source<T>,
  state: State<T>,
  signal: AbortSignal,
): Step<T> | Promise<Step<T>> {
  switch (state.name) {
    case "empty":
      return { next: { name: "listing", continueToken: undefined }, event: { type: "Init" } };
    case "listing":
      return list(source, state.continueToken, signal);
    case "listed":
      return { next: { name: "idle", resourceVersion: state.resourceVersion }, event: { type: "InitDone" } };
    case "idle": {
      const { resourceVersion } = state;
      return { next: { name: "watching", resourceVersion, stream: source.open(resourceVersion, signal), isNew: true } };
    }
    case "ended":
      return resume(source, state.resourceVersion, signal);
    case "watching":
      return watch(source, state);
    default:
      return state satisfies never;
  }
}

async function list<T extends KubeObject>(
  source: Source<T>,
  continueToken: string | undefined,
  signal: AbortSignal,
): Promise<Step<T>> {
  const { items, metadata } = await source.list(continueToken, signal);
  return {
    next: metadata.continue
      ? { name: "listing", continueToken: metadata.continue }
      : { name: "listed", resourceVersion: metadata.resourceVersion },
    event: { type: "InitPage", objects: items },
  };
}

/**
 * A watch that begins in the future of a server shows nothing until its versions have come that far, hours later perhaps, and
 * never what happened by then: so it is after an older copy of the server's data was put in place.
 */
async function resume<T extends KubeObject>(
  source: Source<T>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<Step<T>> {
  const isKnown = !isOlderVersion(await source.version(signal), resourceVersion);
  return { next: isKnown ? { name: "idle", resourceVersion } : { name: "empty" } };
}

async function watch<T extends KubeObject>({ clock }: Source<T>, state: Watching<T>): Promise<Step<T>> {
  const { stream, resourceVersion, isNew } = state;
  const { done, value } = await stream.events.next();
  if (done) {
    const pause = isNew && clock.monotonic() - stream.startedAt < SHORT_WATCH_MS;
    return { next: { name: "ended", resourceVersion }, pause };
  }
  const { type, object } = value;
  const next = { ...state, resourceVersion: object.metadata.resourceVersion, isNew: false };
  switch (type) {
    case "ADDED":
    case "MODIFIED":
      return { next, event: { type: "Apply", object } };
    case "DELETED":
      return { next, event: { type: "Delete", object } };
    case "BOOKMARK":
      return { next };
    default:
      return type satisfies never;
  }
}

/** Returns the state from which a watcher goes on after a step that failed. */
export function afterError<T>(state: State<T>, error: unknown): State<T> {
  switch (state.name) {
    case "empty":
    case "listed":
    case "idle":
      return state;
    case "listing":
      // A page that could not be fetched can be asked for again, one that was refused cannot.
      return error instanceof ApiError ? { name: "empty" } : state;
    case "ended":
      // A server that answers watches, though no lists now, is not to be waited for.
      return error instanceof ApiError ? { name: "idle", resourceVersion: state.resourceVersion } : state;
    case "watching":
      return error instanceof ApiError && error.isExpired
        ? { name: "empty" }
        : { name: "ended", resourceVersion: state.resourceVersion };
    default:
      return state satisfies never;
  }
}
