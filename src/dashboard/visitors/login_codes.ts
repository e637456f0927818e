import type { Clock } from "../../base/clock.ts";

/** How long a code waits to be used. */
const CODE_MS = 60 * 60_000;

/** How long a session lasts without a request. */
const SESSION_MS = 12 * 60 * 60_000;

/** How many sessions there are at most; the oldest goes. */
const MAX_SESSIONS = 100;

/** Lets visitors in who present a code that this program has printed. Each code works once. */
export class LoginCodes {
  readonly #clock: Clock;
  #codes: { readonly code: string; readonly until: number }[] = [];
  /** When each session ends, by the monotonic clock; the one that was used last stands last. */
  readonly #sessions = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a new code, for the fragment of a link, which no browser sends, and no server logs. */
  issue(): string {
    const code = randomSecret();
    this.#codes.push({ code, until: this.#clock.monotonic() + CODE_MS });
    return code;
  }

  /** Returns the session that a code opens; undefined where the code is wrong, used, or too old. */
  redeem(text: string): string | undefined {
    const now = this.#clock.monotonic();
    const found = this.#codes.find(({ code, until }) => sameText(code, text) && now < until);
    this.#codes = this.#codes.filter((code) => code !== found && now < code.until);
    if (!found) return undefined;
    const session = randomSecret();
    this.#sessions.set(session, now + SESSION_MS);
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
    return session;
  }

  knows(session: string): boolean {
    const until = this.#sessions.get(session);
    this.#sessions.delete(session);
    const now = this.#clock.monotonic();
    if (until === undefined || until <= now) return false;
    this.#sessions.set(session, now + SESSION_MS);
    return true;
  }
}

/** 256 bits that cannot be guessed, for a link or a cookie. */
export function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Returns whether two texts are the same, in a time that does not reveal where they differ. */
export function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let different = 0;
  for (let i = 0; i < a.length; i++) different |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return different === 0;
}
