import { applyPatch, type Operation } from "rfc6902";
import { mergePatch } from "../../../src/base/merge_patch.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
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
  type ObjectName,
  type Patch,
  type Unstored,
} from "../../../src/kube/object.ts";
import { lineBatches } from "../../../src/kube/json_lines.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { collectionPath } from "../../../src/kube/resource_path.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import { copyOf } from "../../support/copy.ts";
import { must } from "../../support/expected.ts";

interface LogEntry {
  readonly version: number;
  readonly collection: string;
  readonly event: WatchEvent<KubeObject>;
}

/** Sees every request before it is answered: may throw, or take as long as the test likes. */
export type Intercept = (verb: string, resource: Resource, name: string) => void | Promise<void>;

/** @param name the namespace and the name */
export type OnStored = (resource: Resource, name: string, object: KubeObject | undefined) => void;

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
  readonly #now: () => EpochMs;
  #version = 100;
  #uid = 0;
  #compacted = 0;
  readonly #objects = new Map<string, KubeObject>();
  #log: LogEntry[] = [];
  #changed = Promise.withResolvers<void>();
  #watchesEndedAt = { turn: 0, error: undefined as unknown };

  constructor(now = () => Date.parse("2026-01-01T00:00:00Z")) {
    this.#now = now;
  }

  /** Stores an object as another client would. */
  put<T extends KubeObject>(resource: Resource<T>, object: Unstored<T>): T {
    const collection = collectionPath(resource);
    const key = `${collection} ${keyOf(object)}`;
    const previous = this.#objects.get(key);
    const stored = copyOf(object) as unknown as T;
    stored.metadata.resourceVersion = String(++this.#version);
    stored.metadata.uid = previous?.metadata.uid ?? `uid-${++this.#uid}`;
    stored.metadata.creationTimestamp ??= previous?.metadata.creationTimestamp ?? formatTime(this.#now());
    this.#objects.set(key, stored);
    this.#tell(collection, { type: previous ? "MODIFIED" : "ADDED", object: stored });
    const answer = copyOf(stored);
    this.onStored(resource, keyOf(stored), answer);
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) this.remove(resource, stored.metadata);
    return answer;
  }

  has(resource: Resource, { namespace, name }: ObjectName): boolean {
    return this.#objects.has(`${collectionPath(resource)} ${makeKey(namespace, name)}`);
  }

  remove(resource: Resource, { namespace, name }: ObjectName): void {
    const collection = collectionPath(resource);
    const key = `${collection} ${makeKey(namespace, name)}`;
    const previous = this.#objects.get(key);
    if (!previous) throw refusal(404, "NotFound", `${name} not found`);
    this.#objects.delete(key);
    const object = copyOf(previous);
    object.metadata.resourceVersion = String(++this.#version);
    this.#tell(collection, { type: "DELETED", object });
    this.onStored(resource, keyOf(object), undefined);
  }

  /** Deletes an object as any client does: one that has finalizers stays until they are gone. */
  markDeleted(resource: Resource, name: ObjectName): void {
    const object = this.#find(resource, name);
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (finalizers.length === 0) return this.remove(resource, name);
    if (deletionTimestamp !== undefined) return;
    const metadata = { ...object.metadata, deletionTimestamp: formatTime(this.#now()) };
    this.put(resource, { ...object, metadata } as Unstored<KubeObject>);
  }

  bookmark(resource: Resource): void {
    const metadata = { resourceVersion: String(++this.#version) };
    this.#tell(collectionPath(resource), { type: "BOOKMARK", object: { metadata } as unknown as KubeObject });
  }

  /** Forgets all history: watches and lists that begin before now are refused with 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#log = [];
  }

  /** Ends the open watches: in peace, or with an error. */
  endWatches(error?: unknown): void {
    this.#watchesEndedAt = { turn: this.#watchesEndedAt.turn + 1, error };
    this.#wake();
  }

  /** The object as it is stored, not to be changed; undefined: there is none. */
  peek(resource: Resource, { namespace, name }: ObjectName): KubeObject | undefined {
    return this.#objects.get(`${collectionPath(resource)} ${makeKey(namespace, name)}`);
  }

  all(resource: Resource, namespace?: string): KubeObject[] {
    const prefix = `${collectionPath(resource)} ${namespace ? `${namespace}/` : ""}`;
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([, object]) => copyOf(object));
  }

  async get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options: RequestOptions = {}): Promise<T> {
    await this.#begin("get", resource, name.name, options);
    return copyOf(this.#find(resource, name));
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    await this.#begin("list", resource, options.continueToken ?? "", options);
    // The token is the version of the first page and the number of objects seen; like a real server's, it grows old.
    const [version = 0, seen = 0] = (options.continueToken ?? `${this.#version}:0`).split(":").map(Number);
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
    const key = `${collectionPath(resource)} ${keyOf(object)}`;
    if (this.#objects.has(key)) throw refusal(409, "AlreadyExists", `${object.metadata.name} already exists`);
    return this.put(resource, object);
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
    const { resourceVersion } = this.#find(resource, object.metadata).metadata;
    if (object.metadata.resourceVersion && object.metadata.resourceVersion !== resourceVersion) {
      throw refusal(409, "Conflict", "the object has been modified");
    }
    return this.put<T>(resource, object as unknown as Unstored<T>);
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    await this.#begin("patch", resource, name.name, options);
    const object = copyOf(this.#find(resource, name));
    if (patch.type === "merge") {
      // As it goes over the wire: without what is undefined.
      const body = JSON.parse(JSON.stringify(patch.body));
      return this.put<T>(resource, mergePatch(object, body) as Unstored<T>);
    }
    if (patch.type !== "json") throw new Error(`FakeApi knows merge and JSON patches only, not ${patch.type}`);
    const [failure] = applyPatch(object, patch.operations as Operation[]).filter((error) => error !== null);
    if (failure) throw refusal(422, "Invalid", failure.message);
    return this.put<T>(resource, object as unknown as Unstored<T>);
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    options: DeleteOptions = {},
  ): Promise<void> {
    await this.#begin("delete", resource, name.name, options);
    const { uid } = this.#find(resource, name).metadata;
    if (uid !== (options.preconditions?.uid ?? uid)) throw refusal(409, "Conflict", "another UID");
    this.markDeleted(resource, name);
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
    let from = Number(options.resourceVersion ?? this.#version);
    if (from < this.#compacted) throw refusal(410, "Expired", `too old resource version: ${from}`);
    options.onOpen?.();
    const { turn } = this.#watchesEndedAt;
    const collection = collectionPath(resource);
    while (!signal?.aborted) {
      if (this.#watchesEndedAt.turn > turn) {
        if (this.#watchesEndedAt.error === undefined) return;
        throw this.#watchesEndedAt.error;
      }
      const next = this.#log[this.#positionAfter(from)];
      if (!next) {
        await this.#changes(signal);
        continue;
      }
      from = next.version;
      if (next.collection !== collection) continue;
      const { object } = next.event;
      if (namespace && next.event.type !== "BOOKMARK" && object.metadata.namespace !== namespace) continue;
      if (this.mute) continue;
      options.onReceive?.();
      yield copyOf(next.event) as WatchEvent<T>;
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

  #find<T extends KubeObject>(resource: Resource<T>, { namespace, name }: ObjectName): T {
    const found = this.#objects.get(`${collectionPath(resource)} ${makeKey(namespace, name)}`);
    if (!found) throw refusal(404, "NotFound", `${name} not found`);
    return found as T;
  }

  /** The state at an earlier version: today's, with the log undone. */
  #at(version: number, resource: Resource, namespace: string | undefined): KubeObject[] {
    const collection = collectionPath(resource);
    const state = new Map<string, KubeObject>();
    const later = this.#log.filter((entry) => entry.version > version && entry.collection === collection);
    const changedLater = new Set(later.map(({ event }) => event.object.metadata.name && keyOf(event.object)));
    for (const object of this.all(resource)) if (!changedLater.has(keyOf(object))) state.set(keyOf(object), object);
    for (const { version: at, collection: where, event } of this.#log) {
      if (at > version || where !== collection || event.type === "BOOKMARK") continue;
      const key = keyOf(event.object);
      if (!changedLater.has(key)) continue;
      if (event.type === "DELETED") state.delete(key);
      else state.set(key, copyOf(event.object));
    }
    return [...state].filter(([key]) => !namespace || key.startsWith(`${namespace}/`))
      .sort(([a], [b]) => a < b ? -1 : 1).map(([, object]) => object);
  }

  /** Where in the log the first entry after a version stands. */
  #positionAfter(version: number): number {
    let [low, high] = [0, this.#log.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (must(this.#log[middle]).version > version) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #tell(collection: string, event: WatchEvent<KubeObject>): void {
    this.#log.push({ version: this.#version, collection, event: copyOf(event) });
    this.#wake();
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

export function refusal(code: number, reason: string, message: string, retryAfterMs?: number): ApiError {
  return new ApiError(message, { code, reason, retryAfterMs });
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
