import { setImmediate } from "node:timers";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { printable } from "../../telemetry/printable.ts";
import { Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { Collection } from "./collection.ts";
import type { Database, Row } from "./database.ts";
import { type Change, SeldomRead, type StoredObject, toStored } from "./stored_object.ts";

const log = loggerFor("apiserver", "storage");

/** The operations of a write. It reads the results of earlier writes of the same batch. */
export interface Transaction {
  readonly now: EpochMs;
  get(resource: string, namespace: string, name: string): StoredObject | undefined;
  list(resource: string, namespace?: string): readonly StoredObject[];
  /** Stores a new version. `object` is given its resourceVersion, and must not be changed afterwards. */
  put(resource: string, object: Json): StoredObject;
  /** Ends an object. Gives its last state, with the resourceVersion of the deletion. */
  delete(stored: StoredObject): StoredObject;
}

interface Pending {
  readonly work: (transaction: Transaction) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The objects, on disk and in memory.
 *
 * Guarantees: a write whose promise has resolved is on disk. Writes happen one after the other, in the order in which
 * they were asked for; each sees all before it. No other request sees a write before it is on disk. Versions only rise, and
 * listeners hear of changes in the order of their versions.
 *
 * All writes that are waiting when the event loop turns share one transaction and so one sync of the disk.
 */
export class Storage {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #seldomRead: ReadonlySet<string>;
  readonly #read = (version: number) => this.#database.valueOf(version);
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  #pending: Pending[] = [];
  #lastVersion: number;
  #compacted: number;
  #bytesWritten = 0;
  #closed = false;

  /** @param options.seldomRead resources of which only what is looked for stands in memory, and texts on disk alone */
  constructor(database: Database, clock: Clock, options: { readonly seldomRead?: readonly string[] } = {}) {
    this.#database = database;
    this.#clock = clock;
    this.#seldomRead = new Set(options.seldomRead);
    this.#lastVersion = database.lastVersion;
    this.#compacted = database.compactedVersion;
    for (const row of database.current()) {
      const object = this.#readRow(row);
      const collection = this.#collection(object.resource);
      collection.set(this.#held(object));
      collection.lastChange = Math.max(collection.lastChange, object.version);
    }
    // A deletion may have been the last change of any of them.
    for (const collection of this.#collections.values()) collection.lastChange = this.#lastVersion;
  }

  /** @throws {ServerError} for a row that is no object. The parser's complaint would quote it: it may hold any bytes. */
  #readRow(row: Row): StoredObject {
    try {
      return fromRow(row);
    } catch (cause) {
      throw this.#database.damaged(printable(`row ${row.id} (${row.resource} ${row.key}) is no object`), cause);
    }
  }

  get lastVersion(): number {
    return this.#lastVersion;
  }

  /** History up to this version may be gone. */
  get compactedVersion(): number {
    return this.#compacted;
  }

  /** The newest version that was written by then, as far as history goes; slow where much came after. */
  versionAt(time: EpochMs): number | undefined {
    return this.#database.versionAt(time);
  }

  /** How many bytes of JSON have been written since the start. */
  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  get(resource: string, namespace: string, name: string): StoredObject | undefined {
    return this.#collections.get(resource)?.get(namespace, name);
  }

  /** In the order of keys. */
  list(resource: string, namespace?: string): readonly StoredObject[] {
    return this.#collections.get(resource)?.list(namespace) ?? [];
  }

  /** Every resource of which there is, or was, an object. */
  resources(): string[] {
    return [...this.#collections.keys()];
  }

  /** The objects as they were at a version, which must be neither compacted nor yet to come. */
  listAt(resource: string, version: number, namespace?: string): readonly StoredObject[] {
    if ((this.#collections.get(resource)?.lastChange ?? 0) <= version) return this.list(resource, namespace);
    const range = namespace === undefined
      ? { from: "", to: "\u{10ffff}" }
      : { from: `${namespace}/`, to: `${namespace}0` };
    return this.#database.snapshot(resource, version, range).map(fromRow);
  }

  /** The changes of a resource after a version, which must not be compacted. */
  changesAfter(resource: string, version: number): Change[] {
    if ((this.#collections.get(resource)?.lastChange ?? 0) <= version) return [];
    return this.#database.changesAfter(resource, version).map((row) => ({
      type: row.type,
      object: fromRow(row),
      ...(row.previousValue === null ? {} : { previous: fromRow({ ...row, value: row.previousValue }) }),
    }));
  }

  /** `listener` must not throw, and must not wait. */
  onChanges(listener: (changes: readonly Change[]) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Does `work` when its turn comes, and resolves with its result once everything it stored is on disk. If it throws,
   * nothing of it is stored. It must be synchronous, and may be called only once.
   */
  write<T>(work: (transaction: Transaction) => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Refusal(503, "ServiceUnavailable", "the server is shutting down"));
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ work, resolve: resolve as (value: unknown) => void, reject });
      // Not a microtask: requests that arrive together are read in one turn of the event loop, and shall share a sync.
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** Forgets history up to a version. */
  compact(to: number): void {
    if (to <= this.#compacted) return;
    this.#database.compact(this.#compacted, to, this.#lastVersion);
    this.#compacted = to;
  }

  shrink(pages: number): void {
    this.#database.shrink(pages);
  }

  /** Writes what is waiting, and takes no more. */
  close(): void {
    this.#flush();
    this.#closed = true;
    this.#database[Symbol.dispose]();
  }

  #flush(): void {
    const batch = this.#pending;
    if (!batch.length) return;
    this.#pending = [];
    const commit = new Commit(this.#clock.now(), this.#lastVersion, (resource) => this.#collection(resource));
    const { changes } = commit;
    const results = batch.map(({ work, reject }) => {
      const mark = changes.length;
      try {
        return { value: work(commit) };
      } catch (error) {
        commit.undoTo(mark);
        reject(error);
        return undefined;
      }
    });
    try {
      if (changes.length) this.#database.append(changes);
    } catch (error) {
      commit.undoTo(0);
      log.error("Cannot write to the database: {error}", { error, count: batch.length });
      const refusal = new Refusal(500, "InternalError", `Internal error occurred: cannot store: ${messageOf(error)}`, {
        causes: [{ message: `cannot store: ${messageOf(error)}` }],
      });
      batch.forEach(({ reject }, index) => results[index] && reject(refusal));
      return;
    }
    this.#lastVersion += changes.length;
    for (const { object } of changes) {
      this.#bytesWritten += object.text.length;
      const collection = this.#collection(object.resource);
      collection.lastChange = object.version;
      if (collection.get(object.namespace, object.name) === object) collection.set(this.#held(object));
    }
    batch.forEach(({ resolve }, index) => results[index] && resolve(results[index].value));
    if (changes.length) { for (const listener of this.#listeners) listener(changes); }
  }

  /** The part that memory keeps of an object on disk. */
  #held(object: StoredObject): StoredObject {
    if (!this.#seldomRead.has(object.resource)) return object;
    return new SeldomRead(object, this.#read);
  }

  #collection(resource: string): Collection {
    return this.#collections.getOrInsertComputed(resource, () => new Collection());
  }
}

/**
 * The writes of one batch. What they do is done to the collections at once, so that the next write sees it, and undone
 * if it cannot be stored.
 */
class Commit implements Transaction {
  readonly changes: Change[] = [];
  readonly #base: number;
  readonly #collection: (resource: string) => Collection;

  constructor(readonly now: EpochMs, base: number, collection: (resource: string) => Collection) {
    this.#base = base;
    this.#collection = collection;
  }

  get(resource: string, namespace: string, name: string): StoredObject | undefined {
    return this.#collection(resource).get(namespace, name);
  }

  list(resource: string, namespace?: string): readonly StoredObject[] {
    return this.#collection(resource).list(namespace);
  }

  put(resource: string, object: Json): StoredObject {
    const previous = this.get(resource, object.metadata.namespace ?? "", object.metadata.name);
    const stored = this.#stored(resource, object);
    this.changes.push(previous ? { type: "MODIFIED", object: stored, previous } : { type: "ADDED", object: stored });
    this.#collection(resource).set(stored);
    return stored;
  }

  delete(previous: StoredObject): StoredObject {
    const stored = this.#stored(previous.resource, JSON.parse(previous.text));
    this.changes.push({ type: "DELETED", object: stored, previous });
    this.#collection(previous.resource).delete(previous.namespace, previous.name);
    return stored;
  }

  undoTo(mark: number): void {
    while (this.changes.length > mark) {
      const { object, previous } = this.changes.pop()!;
      const collection = this.#collection(object.resource);
      if (previous) collection.set(previous);
      else collection.delete(object.namespace, object.name);
    }
  }

  #stored(resource: string, object: Json): StoredObject {
    const { metadata } = object;
    metadata.resourceVersion = String(this.#base + this.changes.length + 1);
    return toStored({ resource, text: JSON.stringify(object), writtenAt: this.now, metadata });
  }
}

function fromRow({ resource, value: text, time: writtenAt }: Pick<Row, "resource" | "value" | "time">): StoredObject {
  return toStored({ resource, text, writtenAt, metadata: JSON.parse(text).metadata });
}
