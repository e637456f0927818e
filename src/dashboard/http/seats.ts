/** So many at a time. */
export class Seats {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Undefined where none is free. It is to be disposed of once. */
  take(): Disposable | undefined {
    if (this.#free === 0) return undefined;
    this.#free--;
    return { [Symbol.dispose]: () => void this.#free++ };
  }
}
