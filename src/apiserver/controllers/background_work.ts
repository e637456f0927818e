import { loggerFor } from "../../telemetry/logging.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Storage, Transaction } from "../storage/storage.ts";

const log = loggerFor("apiserver", "controller");

/** How much is done in one write: more would make requests wait. */
const ITEMS_PER_WRITE = 200;
const RETRY_MS = 1_000;

/** Does something with each of a set of keys, each in its turn and some at a time, as writes to the storage. */
export class BackgroundWork {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #work: (tx: Transaction, key: string) => void;
  readonly #keys = new Set<string>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** @param work may throw: then its key is tried again a little later */
  constructor(storage: Storage, clock: Clock, work: (tx: Transaction, key: string) => void) {
    this.#storage = storage;
    this.#clock = clock;
    this.#work = work;
  }

  add(key: string): void {
    if (this.#stop.signal.aborted) return;
    this.#keys.add(key);
    this.#running ??= this.#run();
  }

  /** Resolves when what is under way is done. Nothing more is begun. */
  async close(): Promise<void> {
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
        await this.#storage.write((tx) => this.#work(tx, key));
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.warn("Cannot do background work for {key}, trying again: {error}", { key, error });
        failed.push(key);
      }
    }));
    return failed;
  }
}
