import type { KubeObject } from "../../../src/kube/object.ts";
import { lines } from "../../support/lines.ts";

export interface Answer {
  readonly code: number;
  readonly body: { readonly items?: KubeObject[]; readonly metadata: { readonly resourceVersion: string } };
}

/** Talks to an API server with nothing of the program in between, as it would hide its own faults. */
export class Api implements Disposable {
  readonly #url: string;
  readonly #token: string;
  readonly #client: Deno.HttpClient;

  constructor({ url, caCertificate, token }: { url: string; caCertificate: string; token: string }) {
    this.#url = url;
    this.#token = token;
    this.#client = Deno.createHttpClient({ caCerts: [caCertificate], http1: true, http2: false });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  async ask(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const init = { method, headers: { "content-type": type }, body: JSON.stringify(body) ?? null };
    const response = await this.#fetch(path, { ...init, signal: signal ?? null });
    return { code: response.status, body: await response.json() };
  }

  /** Asks until it is done: the server may be away. What is there already, or is gone, counts as done. */
  async insist(
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    while (!signal.aborted) {
      const answer = await this.ask(method, path, body, AbortSignal.timeout(5_000)).catch(() => undefined);
      if (answer && (answer.code < 300 || answer.code === 404 || answer.code === 409)) return answer;
      await pause(200);
    }
    return undefined;
  }

  /** The lines of a watch, parsed. Throws an `Error` where the server refuses. */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<{ type: string; object: KubeObject }> {
    const response = await this.#fetch(path, { signal });
    if (!response.ok) throw new WatchRefused(response.status, await response.text());
    for await (const line of lines(response.body!)) yield JSON.parse(line);
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.#token}` };
    return fetch(this.#url + path, { ...init, headers, client: this.#client });
  }
}

export class WatchRefused extends Error {
  constructor(readonly code: number, text: string) {
    super(`the watch was refused with ${code}: ${text}`);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
