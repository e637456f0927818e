import { eachNamespace } from "../kube/namespaces.ts";
import { keyOf, type KubeObject, makeKey, type ObjectName } from "../kube/object.ts";
import type { StreamHold } from "../kube/stream_hold.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { aborted } from "../base/abort.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Runnable } from "./runnable.ts";
import { type Cached, type Change, type IndexFunction, ObjectStore, type Store, type StoreWriter } from "./store.ts";
import type { WatcherEvent } from "./watch_step.ts";
import { Watcher, type WatcherOptions } from "./watcher.ts";

const logger = loggerFor("informer");

export interface InformerOptions<K extends KubeObject, IndexName extends string = never, T extends Cached = K>
  extends Omit<WatcherOptions<K>, "namespace" | "random" | "onSilence"> {
  /** @default all */
  namespaces?: readonly string[] | undefined;
  indexes?: Record<IndexName, IndexFunction<T>>;
  /**
   * Applied once to each version before it is kept: drops what is not needed, or reads it into the room's own terms. Where it
   * throws, the object counts as absent: what one tenant wrote must not end the work for all others.
   */
  transform?: (object: K) => T;
}

/** Called with every change, in order, after the store has it. Must not take long: it holds up the watch. */
export type ChangeHandler<T> = (change: Change<T>) => void;

/** The source of the objects of one namespace, or of all. */
interface Source<K extends KubeObject, T extends Cached> {
  readonly watcher: Watcher<K>;
  readonly writer: StoreWriter<T>;
}

/** The state that the runs of an informer share. */
interface Following {
  runs: number;
  readonly end: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Keeps a {@linkcode Store} of one resource, in all or some namespaces, up to date, and calls handlers with each change.
 *
 * A handler that comes late is called with the objects that are there already, as `added`. One that throws is logged and
 * harms no other.
 */
export class Informer<K extends KubeObject, IndexName extends string = never, T extends Cached = K>
  implements Runnable {
  readonly name: string;
  /** The resource that it follows: `jobs.batch`. */
  readonly groupResource: string;
  readonly store: Store<T, IndexName>;
  readonly #options: InformerOptions<K, IndexName, T>;
  /** By the namespace; undefined for all. */
  readonly #sources: ReadonlyMap<string | undefined, Source<K, T>>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  #following: Following | undefined;
  /** By the occasion for which all was listed again. */
  readonly #lists = new WeakMap<object, Promise<void>>();
  readonly #failing = new Map<Watcher<K>, unknown>();
  #listedAt: EpochMs | undefined;

  constructor(options: InformerOptions<K, IndexName, T>) {
    const { resource, namespaces } = options;
    const store = new ObjectStore<T, IndexName>(options.indexes);
    this.groupResource = `${resource.plural}${resource.group ? `.${resource.group}` : ""}`;
    this.name = `informer ${this.groupResource}`;
    this.store = store;
    this.#options = options;
    const onSilence = (silentMs: number) => this.#warnOfSilence(silentMs);
    this.#sources = new Map(
      eachNamespace(namespaces).map((namespace) => {
        return [namespace, { watcher: new Watcher({ ...options, namespace, onSilence }), writer: store.writer() }];
      }),
    );
  }

  /** Calls `handler` with each present object, as `added`, and with every change from now on, until the result is disposed of. */
  onChange(handler: ChangeHandler<T>): Disposable {
    this.#handlers.add(handler);
    for (const object of this.store.values()) this.#tell(handler, { type: "added", object });
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Resolves once the store holds a whole first list. */
  ready(): Promise<void> {
    return this.store.ready();
  }

  get hold(): StreamHold | undefined {
    return this.#options.hold;
  }

  /** Whether the store holds a whole first list. */
  get synced(): boolean {
    return this.store.isReady;
  }

  /** Whether all its watches are open now. */
  get connected(): boolean {
    return this.#sources.values().every(({ watcher }) => watcher.connected);
  }

  /** When a source was last listed: of an object that came and went before, nothing may be known. */
  get listedAt(): EpochMs | undefined {
    return this.#listedAt;
  }

  /** The error that keeps a source from working now; undefined when all is well. */
  get error(): unknown {
    const [error] = this.#failing.values();
    return error;
  }

  /** Follows until `signal` is aborted; of several such calls, until the last ends. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const following = this.#following ??= this.#follow();
    following.runs++;
    try {
      await Promise.race([following.ended, aborted(signal)]);
    } finally {
      if (--following.runs === 0) {
        this.#following = undefined;
        following.end.abort();
      }
    }
    if (following.runs === 0) await following.ended;
  }

  #follow(): Following {
    const end = new AbortController();
    const ended = Promise.all(
      this.#sources.values().map(async (source) => {
        for await (const event of source.watcher.events(end.signal)) this.#take(event, source);
      }),
    );
    return { runs: 0, end, ended };
  }

  /**
   * Lists all again, and resolves when the store holds the list: no object that the server had before this call is missing then.
   * Handlers are called with changed objects alone. Callers that name the same occasion wait for the same list.
   */
  refresh(occasion: object = {}): Promise<void> {
    const list = async () => void await Promise.all(this.#sources.values().map(({ watcher }) => watcher.relist()));
    return this.#lists.getOrInsertComputed(occasion, list);
  }

  /**
   * Expects an object, of those that are followed, which the server has answered to have created. A watch that delivers nothing
   * for 5 s after that is opened anew where it stood.
   */
  expectNews({ metadata }: { metadata: ObjectName & { uid?: string } }): void {
    const { namespace, name, uid } = metadata;
    const key = makeKey(namespace, name);
    const isKnown = () => {
      const known = this.store.get(key);
      return known !== undefined && (uid === undefined || known.metadata.uid === uid);
    };
    this.#expect(namespace, isKnown);
  }

  /** Expects a change of an object, as the server has refused a write for a newer version than the store holds. */
  expectChange({ metadata: { namespace, name } }: { metadata: ObjectName }): void {
    const key = makeKey(namespace, name);
    const before = this.store.get(key);
    this.#expect(namespace, () => this.store.get(key) !== before);
  }

  #expect(namespace: string | undefined, isKnown: () => boolean): void {
    if (!isKnown()) (this.#sources.get(undefined) ?? this.#sources.get(namespace))?.watcher.expectNews(isKnown);
  }

  #warnOfSilence(silentMs: number): void {
    logger.warn("Cannot see new {resource} by their watch for {durationMs} ms, opening it anew", {
      resource: this.groupResource,
      durationMs: silentMs,
    });
  }

  #take(event: WatcherEvent<K>, source: Source<K, T>): void {
    const { watcher, writer } = source;
    if (event.type === "Error") {
      const { groupResource: resource } = this;
      const first = !this.#failing.has(watcher);
      this.#failing.set(watcher, event.error);
      const message = "Cannot follow {resource}, trying again: {error}";
      if (first) logger.warn(message, { resource, error: event.error });
      else logger.debug(message, { resource, error: event.error });
      return;
    }
    if (event.type !== "Init") this.#failing.delete(watcher);
    if (event.type === "InitDone") this.#listedAt = this.#options.clock.now();
    const transformed = this.#transformed(event);
    for (const change of transformed ? writer.apply(transformed) : []) {
      for (const handler of this.#handlers) this.#tell(handler, change);
    }
  }

  /** Returns the event with transformed objects; undefined for an object that cannot be read and is not in the store. */
  #transformed(event: WatcherEvent<K>): WatcherEvent<T> | undefined {
    switch (event.type) {
      case "InitPage":
        return { ...event, objects: event.objects.flatMap((object) => this.#read(object) ?? []) };
      case "Apply":
      case "Delete": {
        const object = this.#read(event.object);
        if (object) return { ...event, object };
        const last = this.store.get(keyOf(event.object));
        return last && { type: "Delete", object: last as Cached as T };
      }
      default:
        return event;
    }
  }

  #read(object: K): T | undefined {
    const { transform } = this.#options;
    if (!transform) return object as Cached as T;
    try {
      return transform(object);
    } catch (error) {
      const properties = { resource: this.groupResource, key: keyOf(object), error };
      logger.warn("Cannot read {key} of {resource}, leaving it out: {error}", properties);
      return undefined;
    }
  }

  #tell(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      logger.error("A handler of changes of {resource} failed: {error}", { resource: this.groupResource, error });
    }
  }
}

/** Drops, in place, most of an object's bytes, which no controller reads: for {@linkcode InformerOptions.transform}. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}
