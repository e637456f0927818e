import type { Credential } from "../credentials.ts";
import type { Call } from "./call.ts";
import type { TransportRequest } from "./request.ts";

/** Makes the headers of requests. In a burst the same ones serve all requests. */
export class RequestHeaders {
  readonly #userAgent: string;
  #latest: {
    readonly credential: Credential;
    readonly component: string | undefined;
    readonly own: TransportRequest["headers"];
    readonly headers: Record<string, string>;
  } | undefined;

  constructor(userAgent: string) {
    this.#userAgent = userAgent;
  }

  of({ request: { component, headers: own }, credential }: Call): Record<string, string> {
    const latest = this.#latest;
    if (latest?.credential === credential && latest.component === component && latest.own === own) {
      return latest.headers;
    }
    const headers: Record<string, string> = {
      "accept": "application/json",
      "user-agent": component ? `${this.#userAgent} ${component}` : this.#userAgent,
      ...(credential.token && { authorization: `Bearer ${credential.token}` }),
      ...credential.headers,
      ...own,
    };
    this.#latest = { credential, component, own, headers };
    return headers;
  }
}
