import type { Kill, Upstream } from "./fault_proxy.ts";
import type { Asked, FaultRule } from "./rules.ts";

/** A message to a proxy. */
export type Command =
  | { readonly upstream: Upstream }
  | { readonly rules: readonly FaultRule[]; readonly seed: number }
  | { readonly forget: true }
  | { readonly kill: Kill };

/** A message of a proxy: where it listens, or what came through and when. */
export type Report = { readonly url: string } | { readonly asked: Asked; readonly at: number };

/** A fault proxy in a thread of its own: in that of the recorder, what comes through would wait for other worlds. */
export class ProxyThread implements Disposable {
  readonly url: string;
  readonly #worker: Worker;

  private constructor(worker: Worker, url: string) {
    this.#worker = worker;
    this.url = url;
  }

  /** `onRequest` is called with each request that comes, and when it came. */
  static start(upstream: Upstream, onRequest: (asked: Asked, at: number) => void): Promise<ProxyThread> {
    const worker = new Worker(new URL("./proxy_worker.ts", import.meta.url), { type: "module" });
    const started = Promise.withResolvers<ProxyThread>();
    worker.onmessage = ({ data: report }: MessageEvent<Report>) => {
      if ("asked" in report) onRequest(report.asked, report.at);
      else started.resolve(new ProxyThread(worker, report.url));
    };
    const { url, caCertificate, token } = upstream;
    worker.postMessage({ upstream: { url, caCertificate, token } } satisfies Command);
    return started.promise;
  }

  send(command: Command): void {
    this.#worker.postMessage(command);
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
