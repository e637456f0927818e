/** How far the limit falls. So few still keep a server busy, and let one that recovers be seen to. */
const LEAST = 8;

/**
 * How many requests may be in flight: halved when the server is found to be overloaded, and grown by one for each
 * roundful of answers, up to `max`. This is how TCP shares a link.
 */
export class InFlightLimit {
  readonly #max: number;
  #exact: number;

  constructor(max: number) {
    this.#max = this.#exact = max;
  }

  get current(): number {
    return Math.floor(this.#exact);
  }

  get max(): number {
    return this.#max;
  }

  answered(): void {
    if (this.#exact < this.#max) this.#exact = Math.min(this.#max, this.#exact + 1 / this.#exact);
  }

  lower(): void {
    this.#exact = Math.max(Math.min(LEAST, this.#max), this.#exact / 2);
  }
}
