import { type Clock, endsWithin } from "../base/clock.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { UnreachableError } from "./unreachable_error.ts";

/** A client certificate and its key, both PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The credential of a request. */
export interface Credential {
  readonly token?: string | undefined;
  /** Sent along, such as `Authorization` in another shape, or `Impersonate-User`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly clientCertificate?: ClientCertificate | undefined;
  /** When it stops being valid; absent: not known. */
  readonly expiresAt?: EpochMs;
}

/** Gives credentials out, and renews them. */
export interface CredentialSource {
  /** The credential to use now. A value rather than a promise where nothing has to be waited for. */
  current(): Credential | Promise<Credential>;
  /** The server refused what was given out last (401): whatever is remembered must not be used again. */
  invalidate(): void;
}

/** Returns whether a server that refused `a` refuses `b` as well. */
export function isSameCredential(a: Credential, b: Credential): boolean {
  return JSON.stringify([a.token, a.headers, a.clientCertificate]) ===
    JSON.stringify([b.token, b.headers, b.clientCertificate]);
}

/** Returns a credential that never changes. */
export function fixedCredential(credential: Credential): CredentialSource {
  return { current: () => credential, invalidate: () => {/* there is no other */} };
}

/** How long a token read from a file is used before the file is read again. The kubelet rotates it well before expiry. */
export const TOKEN_FILE_REREAD_MS = 60_000;

/** A token that lives in a file and is rotated there, as a Pod's service account token is. */
export class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #clock: Clock;
  #credential: Credential | undefined;
  #readAt = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  current(): Credential | Promise<Credential> {
    if (this.#credential && this.#clock.monotonic() - this.#readAt < TOKEN_FILE_REREAD_MS) return this.#credential;
    return this.#read();
  }

  invalidate(): void {
    this.#credential = undefined;
  }

  async #read(): Promise<Credential> {
    let token: string;
    try {
      token = (await Deno.readTextFile(this.#path)).trim();
    } catch (cause) {
      if (this.#credential) return this.#credential;
      throw new Error(`Cannot read the token file ${this.#path}: ${(cause as Error).message}`, { cause });
    }
    // A rotation that is not atomic may show an empty file for a moment: the old token is better than none.
    if (token === "" && this.#credential) return this.#credential;
    if (token === "") throw new Error(`Cannot use the token file ${this.#path}: it is empty`);
    this.#readAt = this.#clock.monotonic();
    if (token !== this.#credential?.token) this.#credential = { token };
    return this.#credential!;
  }
}

/** How long before its end a credential counts as expired. */
const EXPIRY_MARGIN_MS = 10_000;

/** How long a request waits for a credential, in which a person may have to log in. */
const ISSUING_MS = 120_000;

/** A credential that something else issues for a while (an exec plugin, OIDC): asked for again shortly before it ends. */
export class IssuedCredential implements CredentialSource {
  readonly #issue: (refused: boolean) => Promise<Credential>;
  readonly #clock: Clock;
  #credential: Credential | undefined;
  #issuing: Promise<Credential> | undefined;
  #refused = false;

  constructor(issue: (refused: boolean) => Promise<Credential>, clock: Clock) {
    this.#issue = issue;
    this.#clock = clock;
  }

  current(): Credential | Promise<Credential> {
    const known = this.#credential;
    if (known && (known.expiresAt === undefined || known.expiresAt - EXPIRY_MARGIN_MS > this.#clock.now())) {
      return known;
    }
    return this.#inTime(this.#issuing ??= this.#renew().finally(() => this.#issuing = undefined));
  }

  invalidate(): void {
    this.#credential = undefined;
    this.#refused = true;
  }

  /** A plugin that hangs is not started again beside itself: what it prints later is used then. */
  async #inTime(issuing: Promise<Credential>): Promise<Credential> {
    if (await endsWithin(this.#clock, ISSUING_MS, issuing)) return await issuing;
    throw new UnreachableError(`Cannot get credentials: the plugin or provider gives none for ${ISSUING_MS / 1_000} s`);
  }

  async #renew(): Promise<Credential> {
    const credential = await this.#issue(this.#refused);
    this.#refused = false;
    return this.#credential = credential;
  }
}
