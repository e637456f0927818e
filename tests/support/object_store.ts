import { applyPatch, type Operation } from "rfc6902";
import { type EpochMs, formatTime } from "../../src/base/epoch_ms.ts";
import { mergePatch } from "../../src/base/merge_patch.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { keyOf, type KubeObject, type ObjectKey, type Patch, type Unstored } from "../../src/kube/object.ts";
import { copyOf } from "./copy.ts";

/** A change of a collection, as a watch delivers it. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
  /** The object as it was; undefined: there was none. */
  readonly before?: KubeObject | undefined;
  readonly version: number;
}

export interface Collection<T extends KubeObject = KubeObject> {
  readonly objects: Map<ObjectKey, T>;
  /** All since the last compaction, in order. */
  readonly changes: Change[];
}

interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/**
 * Objects in memory as an API server keeps them: with versions, UIDs, conflicts, preconditions and finalizers. A stored object
 * is replaced, and never changed. Knows no requests and no validation.
 */
export class ObjectStore {
  /** Called with each change. */
  readonly listeners: ((collection: string, change: Change) => void)[] = [];
  readonly #collections = new Map<string, Collection>();
  #version = 100;
  #uid = 0;

  constructor(readonly now: () => EpochMs) {}

  /** Takes from an object, before it is stored, fields that its definition does not know. */
  prune(_object: KubeObject): void {}

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  collection<T extends KubeObject>(name: string): Collection<T> {
    const made = this.#collections.getOrInsertComputed(name, () => ({ objects: new Map(), changes: [] }));
    return made as unknown as Collection<T>;
  }

  /** Stores the object, which must not be changed any more. */
  put<T extends KubeObject>(collection: string, object: T | Unstored<T>): T {
    const stored = { ...object, metadata: { ...object.metadata } } as T;
    this.prune(stored);
    const key = keyOf(stored);
    const previous = this.collection(collection).objects.get(key)?.metadata;
    stored.metadata.resourceVersion = String(++this.#version);
    stored.metadata.uid ??= previous?.uid ?? `uid-${++this.#uid}`;
    stored.metadata.creationTimestamp ??= previous?.creationTimestamp ?? formatTime(this.now());
    this.restore(collection, stored);
    if (stored.metadata.deletionTimestamp !== undefined && !this.isHeld(stored)) this.remove(collection, key);
    return stored;
  }

  /** Stores the object with the version that it has, as after a restore from a backup. */
  restore(collection: string, object: KubeObject): void {
    const { objects } = this.collection(collection);
    const before = objects.get(keyOf(object));
    objects.set(keyOf(object), object);
    this.#note(collection, { type: before ? "MODIFIED" : "ADDED", object, before });
  }

  remove(collection: string, key: ObjectKey): void {
    const before = this.find(collection, key);
    this.collection(collection).objects.delete(key);
    const metadata = { ...before.metadata, resourceVersion: String(++this.#version) };
    this.#note(collection, { type: "DELETED", object: { ...before, metadata }, before });
  }

  bookmark(collection: string): void {
    const metadata = { resourceVersion: String(++this.#version) };
    this.#note(collection, { type: "BOOKMARK", object: { metadata } as KubeObject });
  }

  /** Forgets all changes. */
  compact(): void {
    for (const { changes } of this.#collections.values()) changes.length = 0;
  }

  find<T extends KubeObject>(collection: string, key: ObjectKey, means: Preconditions = {}): T {
    const found = this.collection(collection).objects.get(key);
    if (!found) throw refusal(404, "NotFound", `${key} not found`);
    const { uid, resourceVersion } = found.metadata;
    if ((means.uid || uid) !== uid || (means.resourceVersion || resourceVersion) !== resourceVersion) {
      throw refusal(409, "Conflict", "the object has been modified");
    }
    return found as T;
  }

  create<T extends KubeObject>(collection: string, object: T | Unstored<T>): T {
    const key = keyOf(object);
    if (this.collection(collection).objects.has(key)) throw refusal(409, "AlreadyExists", `${key} already exists`);
    return this.put(collection, object);
  }

  replace<T extends KubeObject>(collection: string, object: T): T {
    this.find(collection, keyOf(object), object.metadata);
    return this.put(collection, object);
  }

  /** Knows JSON patches, merge patches, and strategic ones whose only list is that of conditions. */
  patch<T extends KubeObject>(collection: string, key: ObjectKey, patch: Patch): T {
    const means = "body" in patch ? (patch.body as Partial<KubeObject>).metadata : undefined;
    return this.put(collection, patched(this.find<T>(collection, key, means), patch));
  }

  /** Deletes an object as any client does: one that has finalizers stays until they are gone. */
  delete(collection: string, key: ObjectKey, preconditions?: Preconditions): void {
    const object = this.find(collection, key, preconditions);
    if (!this.isHeld(object)) return this.remove(collection, key);
    if (object.metadata.deletionTimestamp !== undefined) return;
    this.put(collection, { ...object, metadata: { ...object.metadata, deletionTimestamp: formatTime(this.now()) } });
  }

  /** Whether an object stays when it is deleted. */
  protected isHeld({ metadata: { finalizers = [] } }: KubeObject): boolean {
    return finalizers.length > 0;
  }

  #note(collection: string, change: Omit<Change, "version">): void {
    const noted = { ...change, version: this.#version };
    this.collection(collection).changes.push(noted);
    for (const listener of this.listeners) listener(collection, noted);
  }
}

interface Whole extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

function patched<T extends KubeObject>(before: T, patch: Patch): T {
  if (patch.type === "json") {
    const object = copyOf(before);
    const [failure] = applyPatch(object, patch.operations as Operation[]).filter((error) => error !== null);
    if (failure) throw refusal(422, "Invalid", failure.message);
    return object;
  }
  // As it goes over the wire: without what is undefined.
  const body = JSON.parse(JSON.stringify(patch.body));
  const merged = mergePatch(before, body) as T;
  const { generation } = before.metadata;
  if (generation !== undefined && body.spec) Object.assign(merged.metadata, { generation: generation + 1 });
  if (patch.type === "merge") return merged;
  const { conditions: were = [] } = (before as Whole).status ?? {};
  const { conditions = [], ...status } = (merged as Whole).status ?? {};
  const others = were.filter(({ type }) => !conditions.some((one) => one.type === type));
  return { ...merged, status: { ...status, conditions: [...others, ...conditions] } };
}

export function refusal(code: number, reason: string, message: string, retryAfterMs?: number): ApiError {
  return new ApiError(message, { code, reason, retryAfterMs });
}
