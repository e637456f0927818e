import type { Loose } from "../base/loose.ts";
import { type DeepReadonly, keyOf, type KubeObject, type ObjectKey, type ObjectMeta } from "../kube/object.ts";
import type { WatcherEvent } from "./watch_step.ts";

/** Anything that carries the metadata by which it is kept: an object as the server sends it, or what was read from it. */
export interface Cached {
  readonly metadata: Pick<Loose<DeepReadonly<ObjectMeta>>, "name" | "namespace" | "uid" | "resourceVersion">;
}

/** An object as a cache hands it out: read-only. Objects as the server sends them are so all the way down. */
export type ReadOnly<T> = Cached & (T extends KubeObject ? DeepReadonly<T> : T);

/** The change of one object in a store. */
export type Change<T> =
  | { readonly type: "added"; readonly object: ReadOnly<T>; readonly previous?: undefined }
  | { readonly type: "modified"; readonly object: ReadOnly<T>; readonly previous: ReadOnly<T> }
  | { readonly type: "deleted"; readonly object: ReadOnly<T>; readonly previous?: undefined };

/** Names the values under which an object is found in an index; none: it is not in it. */
export type IndexFunction<T> = (object: ReadOnly<T>) => readonly string[];

/** Reads the last known state of objects. All of it is read-only, and may be a moment behind the server. */
export interface Store<T extends Cached, IndexName extends string = never> {
  readonly size: number;
  get(key: ObjectKey): ReadOnly<T> | undefined;
  values(): Iterable<ReadOnly<T>>;
  /** The objects that an index has under a value, in no particular order. Costs no more than there are of them. */
  byIndex(index: IndexName, value: string): ReadOnly<T>[];
  /** Resolves once the store holds a whole first list. */
  ready(): Promise<void>;
  readonly isReady: boolean;
}

/**
 * Holds what watches show, by key and by declared indexes. Those who read it get it as a {@linkcode Store}; what writes it
 * is one {@linkcode StoreWriter} for each source, which together fill it.
 *
 * Invariant: an object is under `value` of an index exactly if the index function names `value` for it, and no empty set
 * is kept. This relies on objects that are held never being changed.
 */
export class ObjectStore<T extends Cached, IndexName extends string = never> implements Store<T, IndexName> {
  readonly #objects = new Map<ObjectKey, ReadOnly<T>>();
  readonly #indexes: { name: IndexName; valuesOf: IndexFunction<T>; keys: Map<string, Set<ObjectKey>> }[];
  readonly #ready = Promise.withResolvers<void>();
  #unready = 0;
  #isReady = false;

  constructor(indexes: Record<IndexName, IndexFunction<T>> = {} as Record<IndexName, IndexFunction<T>>) {
    this.#indexes = Object.entries<IndexFunction<T>>(indexes)
      .map(([name, valuesOf]) => ({ name: name as IndexName, valuesOf, keys: new Map() }));
  }

  get size(): number {
    return this.#objects.size;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get(key: ObjectKey): ReadOnly<T> | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<ReadOnly<T>> {
    return this.#objects.values();
  }

  byIndex(index: IndexName, value: string): ReadOnly<T>[] {
    const keys = this.#indexes.find(({ name }) => name === index)?.keys.get(value);
    return keys ? Array.from(keys, (key) => this.#objects.get(key)!) : [];
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Makes a writer for a source of its own (a namespace). The store is ready once all its writers have a first list. */
  writer(): StoreWriter<T> {
    this.#unready++;
    return new StoreWriter(this, () => {
      if (--this.#unready > 0) return;
      this.#isReady = true;
      this.#ready.resolve();
    });
  }

  /** Called by its writers alone. */
  set(key: ObjectKey, object: ReadOnly<T>): void {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const { valuesOf, keys } of this.#indexes) {
      const values = valuesOf(object);
      if (previous) removeFrom(keys, key, valuesOf(previous).filter((value) => !values.includes(value)));
      for (const value of values) {
        const found = keys.get(value);
        if (found) found.add(key);
        else keys.set(value, new Set([key]));
      }
    }
  }

  /** Called by its writers alone. */
  delete(key: ObjectKey): void {
    const previous = this.#objects.get(key);
    if (!previous) return;
    this.#objects.delete(key);
    for (const { valuesOf, keys } of this.#indexes) removeFrom(keys, key, valuesOf(previous));
  }
}

function removeFrom(keys: Map<string, Set<ObjectKey>>, key: ObjectKey, values: readonly string[]): void {
  for (const value of values) {
    const found = keys.get(value);
    if (!found) continue;
    found.delete(key);
    if (found.size === 0) keys.delete(value);
  }
}

/**
 * Takes a {@linkcode Watcher}'s events into a store, and returns what they changed.
 *
 * A list is collected on the side and swapped in whole, so that readers never see half of one; what it leaves out is
 * reported as deleted, with its last known state.
 */
export class StoreWriter<T extends Cached> {
  readonly #objects: Pick<ObjectStore<T>, "get" | "set" | "delete">;
  readonly #onReady: () => void;
  /** The keys of this writer's source. Writers do not see, and never delete, each other's objects. */
  #keys = new Set<ObjectKey>();
  #list: Map<ObjectKey, ReadOnly<T>> | undefined;
  #ready = false;

  /** @param onReady called once the first list is in the store */
  constructor(objects: Pick<ObjectStore<T>, "get" | "set" | "delete">, onReady: () => void) {
    this.#objects = objects;
    this.#onReady = onReady;
  }

  apply(event: WatcherEvent<T>): Change<T>[] {
    switch (event.type) {
      case "Init":
        this.#list = new Map();
        return [];
      case "InitPage":
        for (const object of event.objects) this.#list?.set(keyOf(object), object as ReadOnly<T>);
        return [];
      case "InitDone":
        return this.#swapIn();
      case "Apply":
        return this.#put(keyOf(event.object), event.object as ReadOnly<T>);
      case "Delete":
        return this.#remove(keyOf(event.object), event.object as ReadOnly<T>);
      case "Error":
        return [];
      default:
        return event satisfies never;
    }
  }

  #swapIn(): Change<T>[] {
    const list = this.#list ?? new Map<ObjectKey, ReadOnly<T>>();
    this.#list = undefined;
    const changes: Change<T>[] = [];
    for (const key of this.#keys) if (!list.has(key)) changes.push(...this.#remove(key));
    for (const [key, object] of list) changes.push(...this.#put(key, object));
    if (!this.#ready) {
      this.#ready = true;
      this.#onReady();
    }
    return changes;
  }

  #put(key: ObjectKey, object: ReadOnly<T>): Change<T>[] {
    const previous = this.#objects.get(key);
    const { uid, resourceVersion } = object.metadata;
    if (previous?.metadata.uid === uid && previous.metadata.resourceVersion === resourceVersion) return [];
    this.#keys.add(key);
    this.#objects.set(key, object);
    if (!previous) return [{ type: "added", object }];
    if (previous.metadata.uid === uid) return [{ type: "modified", object, previous }];
    // Deleted and made again under the same name while no watch was open: two different objects.
    return [{ type: "deleted", object: previous }, { type: "added", object }];
  }

  #remove(key: ObjectKey, last?: ReadOnly<T>): Change<T>[] {
    const previous = this.#objects.get(key);
    this.#keys.delete(key);
    this.#objects.delete(key);
    return previous ? [{ type: "deleted", object: last ?? previous }] : [];
  }
}
