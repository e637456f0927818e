import type { Call, ExchangeLayer } from "./call.ts";
import type { Exchanges } from "./exchanges.ts";

/** Puts an exchange under its time limits, together with others that began in the same second. */
export class DeadlineLayer implements ExchangeLayer {
  readonly #exchanges: Exchanges;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  begins(call: Call): void {
    const { pool, request: { signal }, read } = call;
    call.exchange = read ? this.#exchanges.join(pool, signal) : this.#exchanges.stream(pool, signal);
  }

  answered(): void {
    this.#exchanges.answered();
  }

  unanswered(call: Call): void {
    this.end(call);
  }

  /** Called when nothing more is wanted of the answer. */
  end({ exchange, read }: Call): void {
    if (read) this.#exchanges.leave(exchange);
    else this.#exchanges.close(exchange);
  }
}
