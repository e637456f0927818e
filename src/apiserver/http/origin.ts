import { Refusal } from "../refusals.ts";

/** Where a request is from, as its headers say. */
export interface Origin {
  /** Undefined where HTTP/2 has another way to say it. */
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * A web page must not reach the server through a name that it made point here, nor by asking the browser to send a
 * request. Programs send no Origin.
 *
 * @throws {Refusal}
 */
export function checkOrigin({ host = "localhost", origin }: Origin): void {
  const name = host.replace(/:\d+$/, "");
  if (name !== "127.0.0.1" && name !== "localhost" && name !== "[::1]") {
    throw new Refusal(
      421,
      "Misdirected",
      `the server does not serve host ${JSON.stringify(name)}; use 127.0.0.1 or localhost`,
    );
  }
  if (origin !== undefined) throw new Refusal(403, "Forbidden", "the server takes no requests from web pages");
}
