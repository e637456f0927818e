import type { Address } from "../../support/api_server_process.ts";
import { type Pod, PODS } from "../../../src/kube/resource.ts";
import { collectionPath, pathOf } from "../../../src/kube/resource_path.ts";
import { type Api, pause } from "./api.ts";

/** A node: a kubelet as a process of its own, which runs Pods as processes. */
export class KubeletUnderFault implements AsyncDisposable {
  readonly #address: () => Address;
  readonly #folder: string;
  #node = 0;
  #process: Deno.ChildProcess;

  constructor(address: () => Address, folder: string) {
    this.#address = address;
    this.#folder = folder;
    this.#process = this.#start();
  }

  /** The next one takes up what this one ran. */
  async kill(): Promise<void> {
    await this.#end();
    await pause(500);
    this.#process = this.#start();
  }

  /** With its Pods, which the cluster's Pod garbage collector then deletes; another node comes. */
  async lose(api: Api): Promise<void> {
    const lost = this.#name;
    await this.#end();
    this.#node++;
    this.#process = this.#start();
    const { signal } = new AbortController();
    const answer = await api.insist("GET", collectionPath(PODS), undefined, signal);
    const pods = (answer?.body.items ?? []) as Pod[];
    const left = pods.filter(({ spec, status }) => spec?.nodeName === lost && status?.phase !== "Succeeded");
    const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 };
    await Promise.all(left.map(({ metadata }) => api.insist("DELETE", pathOf(PODS, metadata), body, signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  get #name(): string {
    return `node-${this.#node}`;
  }

  #start(): Deno.ChildProcess {
    const { url, caCertificate, token } = this.#address();
    const script = new URL("../../kubelet/support/kubelet_to_kill.ts", import.meta.url).pathname;
    const given = [url, caCertificate, token, `${this.#folder}/${this.#name}`, this.#name];
    const args = ["run", "-A", "--no-check", script, ...given];
    return new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "null" }).spawn();
  }

  async #end(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
  }
}
