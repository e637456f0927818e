import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { EVENTS } from "../kinds/event.ts";
import type { Storage } from "../storage/storage.ts";

const log = loggerFor("apiserver", "housekeeping");

const EVERY_MS = 30_000;
/** Events go an hour after they were last written, as with kube-apiserver's `--event-ttl`. */
const EVENT_LIFE_MS = 3_600_000;
/** How far back watches can resume and lists can be paged through. */
const HISTORY_MS = 15 * 60_000;
/** However young: more history than this is not kept. */
const HISTORY_BYTES = 256 * 1024 * 1024;
/** Versions forgotten in one transaction: more would make requests wait. */
const VERSIONS_PER_STEP = 2_000;
const PAGES_PER_STEP = 1_000;

/** When a version was the newest. */
interface Mark {
  readonly at: EpochMs;
  readonly version: number;
  readonly bytes: number;
}

/** Forgets old history and old Events. */
export class Housekeeping {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #marks: Mark[];

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
    // Or a program that never runs for long would never forget anything.
    const at = clock.now() - HISTORY_MS;
    const version = storage.versionAt(at);
    this.#marks = version === undefined ? [] : [{ at, version, bytes: 0 }];
    this.#running = this.#run(this.#stop.signal);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.tidy();
      } catch (error) {
        log.warn("Cannot tidy up the database: {error}", { error });
      }
      await this.#clock.sleep(EVERY_MS, signal).catch(() => {});
    }
  }

  async tidy(): Promise<void> {
    await this.#expireEvents();
    const { lastVersion: version, bytesWritten: bytes } = this.#storage;
    this.#marks.push({ at: this.#clock.now(), version, bytes });
    await this.#compact(this.#oldestToKeep());
  }

  async #expireEvents(): Promise<void> {
    const limit = this.#clock.now() - EVENT_LIFE_MS;
    const old = this.#storage.list(EVENTS.storage).filter(({ writtenAt }) => writtenAt < limit);
    for (let from = 0; from < old.length; from += VERSIONS_PER_STEP) {
      await this.#storage.write((tx) => {
        for (const { namespace, name, version } of old.slice(from, from + VERSIONS_PER_STEP)) {
          const event = tx.get(EVENTS.storage, namespace, name);
          if (event?.version === version) tx.delete(event);
        }
      });
    }
  }

  /** The newest version before which everything is old enough, or too much. */
  #oldestToKeep(): number {
    const limit = this.#clock.now() - HISTORY_MS;
    const written = this.#storage.bytesWritten;
    const isOver = ({ at, bytes }: Mark) => at <= limit || written - bytes > HISTORY_BYTES;
    const last = this.#marks.findLast(isOver);
    this.#marks = this.#marks.filter((mark) => !isOver(mark));
    return last?.version ?? 0;
  }

  async #compact(to: number): Promise<void> {
    while (this.#storage.compactedVersion < to && !this.#stop.signal.aborted) {
      this.#storage.compact(Math.min(to, this.#storage.compactedVersion + VERSIONS_PER_STEP));
      this.#storage.shrink(PAGES_PER_STEP);
      await setImmediate();
    }
  }
}
