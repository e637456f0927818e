import { loggerFor } from "../../telemetry/logging.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Storage, Transaction } from "../storage/storage.ts";
import type { Change } from "../storage/stored_object.ts";

const log = loggerFor("apiserver", "controller");

/** How much is done in one write: more would make requests wait. */
const ITEMS_PER_WRITE = 200;
const RETRY_MS = 1_000;

/** Does something with each of a set of keys, each in its turn and some at a time, as writes to the storage. */
export abstract class BackgroundWork implements AsyncDisposable {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #keys = new Set<string>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
    this.#storage = storage;
    this.#clock = clock;
    storage.onChanges((changes) => this.follow(changes));
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
        await this.#clock.sleep(RETRY_MS, this.#stop.signal).catch(() => {});
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
        await this.#storage.write((tx) => this.work(tx, key));
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.warn("Cannot do background work for {key}, trying again: {error}", { key, error });
        failed.push(key);
      }
    }));
    return failed;
  }
}
