/** A stream that a hold may put off. */
export interface HeldStream {
  /** Hands out at once what has been received. Resolves when its consumer has dealt with it. */
  drain(): Promise<void>;
}

/** Puts off the reading of streams. Bytes are received, so that no server ends a stream, and are parsed when the hold ends. */
export class StreamHold {
  readonly #streams = new Set<HeldStream>();
  #isHeld = false;

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Puts off what is received from now on. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Ends the hold, whichever caller began it, and hands out what was held, as {@linkcode StreamHold.drain} does. */
  async release(): Promise<void> {
    this.#isHeld = false;
    await this.drain();
  }

  /**
   * Hands out what was held; what comes later is held again. Resolves once every event that had been received before this
   * call was dealt with by its consumer, who then has asked for the next one or left. A hold that begins meanwhile changes
   * nothing about that.
   */
  async drain(): Promise<void> {
    await Promise.all(Array.from(this.#streams, (stream) => stream.drain()));
  }

  /** Takes part until the result is disposed of. */
  add(stream: HeldStream): Disposable {
    this.#streams.add(stream);
    return { [Symbol.dispose]: () => void this.#streams.delete(stream) };
  }
}
