/** So many at a time. */
export class Seats {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Undefined where none is free. Disposing of it again does nothing. */
  take(): Disposable | undefined {
    if (this.#free === 0) return undefined;
    this.#free--;
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#free++;
        isTaken = false;
      },
    };
  }
}
