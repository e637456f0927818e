import { loggerFor } from "../../telemetry/logging.ts";
import type { ServerContext } from "../operations/context.ts";
import { isOver } from "../operations/update.ts";
import type { Json } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { type Change, parse, type StoredObject } from "../storage/stored_object.ts";

const log = loggerFor("apiserver", "controller");

/** How much is done in one write: more would make requests wait. */
const ITEMS_PER_WRITE = 200;
const RETRY_MS = 1_000;

/** Does something with each of a set of keys, each in its turn and some at a time, as writes to the storage. */
export abstract class BackgroundWork implements AsyncDisposable {
  readonly #keys = new Set<string>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(protected readonly context: ServerContext) {
    context.storage.onChanges((changes) => this.follow(changes));
  }

  /** Adds the keys that changes make work for. */
  protected abstract follow(changes: readonly Change[]): void;

  /** May throw: then the key is tried again a little later. */
  protected abstract work(tx: Transaction, key: string): void;

  protected add(key: string): void {
    if (this.#stop.signal.aborted) return;
    this.#keys.add(key);
    this.#running ??= this.#run();
  }

  /** Resolves when what is under way is done. Nothing more is begun. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#keys.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#keys.size) {
      const keys = [...this.#keys].slice(0, ITEMS_PER_WRITE);
      for (const key of keys) this.#keys.delete(key);
      const failed = await this.#perform(keys);
      if (failed.length) {
        await this.context.clock.sleep(RETRY_MS, this.#stop.signal).catch(() => {});
        if (!this.#stop.signal.aborted) { for (const key of failed) this.#keys.add(key); }
      }
    }
    this.#running = undefined;
  }

  async #perform(keys: readonly string[]): Promise<string[]> {
    const failed: string[] = [];
    // A write of its own for each, so that one that fails undoes nothing of the others. They share a sync all the same.
    await Promise.all(keys.map(async (key) => {
      try {
        await this.context.storage.write((tx) => this.work(tx, key));
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.warn("Cannot do background work for {key}, trying again: {error}", { key, error });
        failed.push(key);
      }
    }));
    return failed;
  }
}

/** Stores an object as it was edited, or ends it if that was what held it back. */
export function change(tx: Transaction, stored: StoredObject, edit: (object: Json) => void): void {
  const object = parse(stored);
  edit(object);
  for (const list of ["ownerReferences", "finalizers"]) {
    if (object.metadata[list]?.length === 0) delete object.metadata[list];
  }
  if (isOver(object)) tx.delete(stored);
  else tx.put(stored.resource, object);
}

/** Takes away a finalizer, which may have been the last. */
export function dropFinalizer(tx: Transaction, stored: StoredObject, finalizer: string): void {
  change(tx, stored, ({ metadata }) => {
    metadata.finalizers = metadata.finalizers.filter((each: string) => each !== finalizer);
  });
}
