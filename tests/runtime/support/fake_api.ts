import type {
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  PlaceWaiter,
  RequestOptions,
  Unread,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../../src/kube/client.ts";
import {
  keyOf,
  type KubeObject,
  makeKey,
  type ObjectKey,
  type ObjectName,
  type Patch,
  type Unstored,
} from "../../../src/kube/object.ts";
import { lineBatches } from "../../../src/kube/json_lines.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { collectionPath } from "../../../src/kube/resource_path.ts";
import { copyOf } from "../../support/copy.ts";
import { type Change, ObjectStore, refusal } from "../../support/object_store.ts";

export { refusal };

/** Sees every request before it is answered: may throw, or take as long as the test likes. */
export type Intercept = (verb: string, resource: Resource, name: string) => void | Promise<void>;

export type OnStored = (plural: string, key: ObjectKey, object: KubeObject | undefined) => void;

/**
 * An API server in memory, for what a real one will not do on demand: it needs no time but the test's, forgets its past,
 * and breaks off watches. Knows objects, versions, namespaces and finalizers; no selectors, no subresources, no validation.
 */
export class FakeApi implements KubeClient {
  intercept: Intercept | undefined;
  /** Called with each object as it is stored, and without one when it is gone. */
  onStored: OnStored = () => {};
  /** While it is set, open watches lose every event. */
  mute = false;
  /** `verb plural name` of each request. */
  readonly requests: string[] = [];
  #compacted = 0;
  #changed = Promise.withResolvers<void>();
  #watchesEndedAt = { turn: 0, error: undefined as unknown };

  /** @param store the server's, of which this is one connection */
  constructor(now = () => Date.parse("2026-01-01T00:00:00Z"), readonly store = new ObjectStore(now)) {
    store.listeners.push((collection, { type, object }) => {
      this.#wake();
      if (type === "BOOKMARK") return;
      this.onStored(collection.split("/").at(-1)!, keyOf(object), type === "DELETED" ? undefined : object);
    });
  }

  /** Stores an object as another client would. */
  put<T extends KubeObject>(resource: Resource<T>, object: Unstored<T>): T {
    return copyOf(this.store.put(collectionPath(resource), copyOf(object)));
  }

  has(resource: Resource, name: ObjectName): boolean {
    return this.peek(resource, name) !== undefined;
  }

  remove(resource: Resource, { namespace, name }: ObjectName): void {
    this.store.remove(collectionPath(resource), makeKey(namespace, name));
  }

  markDeleted(resource: Resource, { namespace, name }: ObjectName): void {
    this.store.delete(collectionPath(resource), makeKey(namespace, name));
  }

  bookmark(resource: Resource): void {
    this.store.bookmark(collectionPath(resource));
  }

  /** Forgets all history: watches and lists that begin before now are refused with 410. */
  compact(): void {
    this.#compacted = this.store.version;
    this.store.compact();
  }

  /** Ends the open watches: in peace, or with an error. */
  endWatches(error?: unknown): void {
    this.#watchesEndedAt = { turn: this.#watchesEndedAt.turn + 1, error };
    this.#wake();
  }

  /** The object as it is stored, not to be changed; undefined: there is none. */
  peek(resource: Resource, { namespace, name }: ObjectName): KubeObject | undefined {
    return this.store.collection(collectionPath(resource)).objects.get(makeKey(namespace, name));
  }

  all(resource: Resource, namespace?: string): KubeObject[] {
    return this.#at(this.store.version, resource, namespace);
  }

  async get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options: RequestOptions = {}): Promise<T> {
    await this.#begin("get", resource, name.name, options);
    return copyOf(this.store.find<T>(collectionPath(resource), makeKey(name.namespace, name.name)));
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    await this.#begin("list", resource, options.continueToken ?? "", options);
    // The token is the version of the first page and the number of objects seen; like a real server's, it grows old.
    const [version = 0, seen = 0] = (options.continueToken ?? `${this.store.version}:0`).split(":").map(Number);
    if (version < this.#compacted) throw refusal(410, "Expired", "The provided continue parameter is too old");
    const all = this.#at(version, resource, options.namespace);
    const items = all.slice(seen, seen + (options.limit ?? all.length)) as T[];
    const left = all.length - seen - items.length;
    const more = left > 0 ? { continue: `${version}:${seen + items.length}`, remainingItemCount: left } : {};
    return { items, metadata: { resourceVersion: String(version), ...more } };
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: Unstored<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    await this.#begin("create", resource, object.metadata.name!, options);
    return copyOf(this.store.create(collectionPath(resource), copyOf(object)));
  }

  async createText<T extends KubeObject>(
    resource: Resource<T>,
    _name: ObjectName,
    body: string,
    options: WriteOptions = {},
  ): Promise<Unread<T>> {
    const text = JSON.stringify(await this.create(resource, JSON.parse(body) as Unstored<T>, options));
    return { length: text.length, read: () => JSON.parse(text) };
  }

  whenFree(_lane: unknown, _namespace: unknown, waiter: PlaceWaiter): void {
    waiter.start({ isHeld: false, waitedMs: 0, use: () => false, [Symbol.dispose]() {} });
  }

  isSlow(): boolean {
    return false;
  }

  prepare(writes: number): void {
    this.requests.push(`prepare ${writes}`);
  }

  async replace<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    await this.#begin("replace", resource, object.metadata.name, options);
    return copyOf(this.store.replace(collectionPath(resource), copyOf(object)));
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    await this.#begin("patch", resource, name.name, options);
    return copyOf(this.store.patch<T>(collectionPath(resource), makeKey(name.namespace, name.name), patch));
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    options: DeleteOptions = {},
  ): Promise<void> {
    await this.#begin("delete", resource, name.name, options);
    this.store.delete(collectionPath(resource), makeKey(name.namespace, name.name), options.preconditions);
  }

  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { hold, signal, onReceive } = options;
    if (!hold) return yield* this.#watch(resource, options);
    // Held as a real stream is: as bytes.
    const encoder = new TextEncoder();
    const events = this.#watch(resource, { ...options, onReceive: undefined });
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      },
    });
    try {
      for await (const batch of lineBatches(body, { hold, signal, onBytes: onReceive })) {
        for (const line of batch) {
          if (signal?.aborted) return;
          yield JSON.parse(line);
        }
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  async *#watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const { signal, namespace } = options;
    await this.#begin("watch", resource, options.resourceVersion ?? "", options);
    let from = Number(options.resourceVersion ?? this.store.version);
    if (from < this.#compacted) throw refusal(410, "Expired", `too old resource version: ${from}`);
    options.onOpen?.();
    const { turn } = this.#watchesEndedAt;
    const { changes } = this.store.collection(collectionPath(resource));
    while (!signal?.aborted) {
      if (this.#watchesEndedAt.turn > turn) {
        if (this.#watchesEndedAt.error === undefined) return;
        throw this.#watchesEndedAt.error;
      }
      const next = changes[indexAfter(from, changes)];
      if (!next) {
        await this.#changes(signal);
        continue;
      }
      from = next.version;
      const { type, object } = next;
      if (namespace && type !== "BOOKMARK" && object.metadata.namespace !== namespace) continue;
      if (this.mute) continue;
      options.onReceive?.();
      yield copyOf({ type, object }) as WatchEvent<T>;
    }
  }

  raw(): Promise<Response> {
    throw new Error("FakeApi has no raw requests");
  }

  async #begin(verb: string, resource: Resource, name: string, { signal }: RequestOptions): Promise<void> {
    signal?.throwIfAborted();
    this.requests.push(`${verb} ${resource.plural} ${name}`.trim());
    const intercepted = this.intercept?.(verb, resource, name);
    if (intercepted) await (signal ? Promise.race([intercepted, rejectOn(signal)]) : intercepted);
    else await Promise.resolve();
    signal?.throwIfAborted();
  }

  /** The objects at an earlier version: those of today, with the later changes undone. */
  #at(version: number, resource: Resource, namespace: string | undefined): KubeObject[] {
    const { objects, changes } = this.store.collection(collectionPath(resource));
    const state = new Map(objects);
    for (const { object, before } of changes.slice(indexAfter(version, changes)).reverse()) {
      if (before) state.set(keyOf(before), before);
      else state.delete(keyOf(object));
    }
    return [...state].filter(([key]) => !namespace || key.startsWith(`${namespace}/`))
      .sort(([a], [b]) => a < b ? -1 : 1).map(([, object]) => copyOf(object));
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  async #changes(signal: AbortSignal | undefined): Promise<void> {
    const { promise } = this.#changed;
    if (!signal) return await promise;
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.resolve();
    signal.addEventListener("abort", abort, { once: true });
    await Promise.race([promise, aborted.promise]);
    signal.removeEventListener("abort", abort);
  }
}

/** Returns where the first change after a version stands. */
function indexAfter(version: number, changes: readonly Change[]): number {
  return changes.findLastIndex((change) => change.version <= version) + 1;
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
