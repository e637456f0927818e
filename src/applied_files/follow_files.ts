import type { Clock } from "../base/clock.ts";
import { Stage } from "../base/abort.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { SourceFollower } from "./follower.ts";
import { PathWatch } from "./path_watch.ts";
import { isSameText } from "./source.ts";

const logger = loggerFor("files");

/** Editors and `git pull` write in several steps; what is half written is not looked at. */
const SETTLE_MS = 300;

/** A source that never stands still is looked at all the same. */
const MAX_SETTLES = 20;

/** For what waits for another source, which may be just being written. */
const UNSETTLED_MS = 1_000;

/** For changes that no watch reports: a network's file system, a link that leads elsewhere, another folder in its place. */
const LOOK_MS = 10_000;

/** Follows sources until it is asked to stop. */
export class FileFollowing implements Runnable {
  readonly name = "files";
  readonly #followers: readonly SourceFollower[];
  readonly #clock: Clock;
  #wake: () => void = () => {};
  #hasChanged = false;

  constructor(followers: readonly SourceFollower[], clock: Clock) {
    this.#followers = followers;
    this.#clock = clock;
  }

  async run(signal: AbortSignal): Promise<void> {
    using watch = new PathWatch(this.#followers.map(({ source }) => source.watched), () => {
      this.#hasChanged = true;
      this.#wake();
    });
    // What has changed between the start and the first watch is seen by the first look.
    for (let delayMs = 0; !signal.aborted; delayMs = this.#untilNextMs()) {
      watch.begin();
      if (!await this.#changeOr(delayMs, signal)) return;
      for (const follower of this.#followers) {
        if (signal.aborted) return;
        await this.#look(follower, signal);
        if (follower.text?.kind === "gone") watch.forget(follower.source.watched.path);
      }
    }
  }

  #untilNextMs(): number {
    if (this.#followers.some(({ isHeir }) => isHeir)) return 0;
    return this.#followers.some(({ isUnsettled }) => isUnsettled) ? UNSETTLED_MS : LOOK_MS;
  }

  /** Waits for a change, at most for a time. Returns whether to go on. */
  async #changeOr(delayMs: number, signal: AbortSignal): Promise<boolean> {
    using stage = new Stage(signal);
    this.#wake = () => stage.abort();
    // One may have come while the last one was looked at.
    if (!this.#hasChanged) await this.#clock.sleep(delayMs, stage.signal).catch(() => {});
    // Others come in its wake.
    if (this.#hasChanged) await this.#clock.sleep(SETTLE_MS, signal).catch(() => {});
    this.#hasChanged = false;
    return !signal.aborted;
  }

  async #look(follower: SourceFollower, signal: AbortSignal): Promise<void> {
    try {
      await this.#settled(follower, signal);
      if (!signal.aborted) await follower.look();
    } catch (error) {
      if (!signal.aborted) {
        logger.warn("Cannot follow {file}, trying again: {error}", { file: follower.source.path, error });
      }
    }
  }

  /** Waits until two looks in a row see the same. */
  async #settled({ source, text: known }: SourceFollower, signal: AbortSignal): Promise<void> {
    let before = await source.read();
    if (known !== undefined && isSameText(known, before)) return;
    for (let i = 0; i < MAX_SETTLES && !signal.aborted; i++) {
      await this.#clock.sleep(SETTLE_MS, signal);
      const now = await source.read();
      if (isSameText(before, now)) return;
      before = now;
    }
  }
}
