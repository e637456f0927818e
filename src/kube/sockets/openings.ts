import { after, type Clock } from "../../base/clock.ts";
import { Socket, type Target } from "./socket.ts";

/** Settles as `part` does, or rejects as soon as the request is ended. */
export type Until = <R>(part: Promise<R>) => Promise<R>;

/** No connection could be opened, and nothing was sent. */
export class NotConnectedError extends Error {
  override readonly name = "NotConnectedError";
}

/** How long a connection may take to open: a name may have another address that works. */
const OPENING_MS = 5_000;

/**
 * Opens connections to one server.
 *
 * Nothing closes a connection whose TLS handshake is under way. So while an abandoned one is still opening, no other
 * is opened.
 */
export class Openings {
  readonly #clock: Clock;
  #givenUp = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Opens one, for `OPENING_MS` at most, and only as long as `until` waits for it.
   *
   * @throws {NotConnectedError}
   */
  async open(target: Target, until: Until): Promise<Socket> {
    if (this.#givenUp > 0) throw new NotConnectedError("an abandoned connection is still being opened");
    let isUnderWay = true;
    const opening = Socket.open(target).catch((cause) => {
      throw new NotConnectedError(cause.message, { cause });
    }).finally(() => isUnderWay = false);
    const { promise: tooLong, reject } = Promise.withResolvers<never>();
    const late = () => reject(new NotConnectedError(`it takes more than ${OPENING_MS} ms to open a connection`));
    using _timer = after(this.#clock, OPENING_MS, late);
    try {
      return await until(Promise.race([opening, tooLong]));
    } catch (error) {
      if (isUnderWay) this.#giveUp(opening);
      throw error;
    }
  }

  async #giveUp(opening: Promise<Socket>): Promise<void> {
    this.#givenUp++;
    await opening.then((socket) => socket.close(), () => {/* there is none */});
    this.#givenUp--;
  }
}
