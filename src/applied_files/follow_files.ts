import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";
import { Stage } from "../base/abort.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { readAll, type SourcesFollower } from "./follower.ts";
import { PathWatch } from "./path_watch.ts";

const logger = loggerFor("files");

/** How long sources must stand still before a look: editors and `git pull` write in several steps. */
const SETTLE_MS = 300;

/** The most waits for sources to stand still: sources that never do are looked at all the same. */
const MAX_SETTLES = 20;

/** The time between looks without a report, for changes that no watch reports: on a network's file system, or of a link's target. */
const LOOK_MS = 10_000;

/** Follows sources: looks at them at the start, after each reported change, and from time to time. */
export class FileFollowing implements Runnable {
  readonly name = "files";
  readonly #follower: SourcesFollower;
  readonly #clock: Clock;
  #wake: () => void = () => {};
  #hasChanged = false;

  constructor(follower: SourcesFollower, clock: Clock) {
    this.#follower = follower;
    this.#clock = clock;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sources } = this.#follower;
    using watch = new PathWatch(sources.map(({ watched }) => watched), () => {
      this.#hasChanged = true;
      this.#wake();
    });
    // The first look sees changes between the start and the first watch.
    for (let delayMs = 0; !signal.aborted; delayMs = LOOK_MS) {
      watch.begin();
      if (!await this.#changeOr(delayMs, signal)) return;
      await this.#look(signal);
      for (const [i, text] of this.#follower.texts.entries()) {
        if (text?.kind === "gone") watch.forget(sources[i]!.watched.path);
      }
    }
  }

  /** Waits for a change, at most for a time. Returns whether to go on. */
  async #changeOr(delayMs: number, signal: AbortSignal): Promise<boolean> {
    using stage = new Stage(signal);
    this.#wake = () => stage.abort();
    // A change may have come during the last look.
    if (!this.#hasChanged) await this.#clock.sleep(delayMs, stage.signal).catch(() => {});
    // More changes come in its wake.
    if (this.#hasChanged) await this.#clock.sleep(SETTLE_MS, signal).catch(() => {});
    this.#hasChanged = false;
    return !signal.aborted;
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      await this.#settled(signal);
      if (!signal.aborted) await this.#follower.look();
    } catch (error) {
      if (!signal.aborted) logger.warn("Cannot follow files, trying again: {error}", { error });
    }
  }

  /** Waits until two reads in a row are the same. */
  async #settled(signal: AbortSignal): Promise<void> {
    const { sources, texts: known } = this.#follower;
    let before = await readAll(sources);
    if (isDeepStrictEqual(before, known)) return;
    for (let i = 0; i < MAX_SETTLES && !signal.aborted; i++) {
      await this.#clock.sleep(SETTLE_MS, signal);
      const now = await readAll(sources);
      if (isDeepStrictEqual(now, before)) return;
      before = now;
    }
  }
}
