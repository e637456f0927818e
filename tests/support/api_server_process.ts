import type { ApiServerOptions } from "../../src/apiserver/server.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { lines } from "./lines.ts";

/** What a server says of itself when it is up. */
export interface Address {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
  readonly kubeconfigPath: string;
}

/** An API server in a process of its own. */
export class ApiServerProcess implements AsyncDisposable {
  readonly address: Address;
  readonly client: HttpKubeClient;
  readonly #process: Deno.ChildProcess;
  #ended = false;

  private constructor(address: Address, process: Deno.ChildProcess) {
    this.address = address;
    this.#process = process;
    this.client = HttpKubeClient.to({
      server: address.url,
      caCertificates: [address.caCertificate],
      token: address.token,
    });
  }

  /** Resolves when it answers requests. */
  static async start(options: ApiServerOptions & { clock?: never; podLogs?: never }): Promise<ApiServerProcess> {
    const script = new URL("./serve_api.ts", import.meta.url).pathname;
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script, JSON.stringify(options)],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    for await (const line of lines(process.stdout)) {
      return new ApiServerProcess(JSON.parse(line), process);
    }
    await process.stdin.close();
    throw new Error(`The API server ended with code ${(await process.status).code}`);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** SIGKILL: nothing gets a chance to be finished. */
  async kill(): Promise<void> {
    this.#ended = true;
    this.#process.kill("SIGKILL");
    await this.#process.status;
    await this.#process.stdin.close().catch(() => {});
    await this.client[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.client[Symbol.asyncDispose]();
    await this.#process.stdin.close().catch(() => {});
    await this.#process.status;
  }
}
