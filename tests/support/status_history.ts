import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { keyOf, type ObjectKey } from "../../src/kube/object.ts";

/** Every status that one `batch/v1` CronJob has from now on, one after the other. */
export class StatusHistory implements AsyncDisposable {
  readonly #statuses: string[] = [];
  readonly #end = new AbortController();
  readonly #watching: Promise<void>;

  constructor(client: KubeClient, key: ObjectKey) {
    this.#watching = this.#watch(client, key);
  }

  /** No status came back after another had taken its place. */
  assertNeverWentBack(): void {
    assertEquals(this.#statuses.length, new Set(this.#statuses).size, this.#statuses.join("\n"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  async #watch(client: KubeClient, key: ObjectKey): Promise<void> {
    try {
      for await (const { object } of client.watch(BATCH.resource, { signal: this.#end.signal })) {
        if (keyOf(object) !== key) continue;
        const { active = [], ...times } = object.status ?? {};
        const status = JSON.stringify([active.map(({ name }) => name), times]);
        if (status !== this.#statuses.at(-1)) this.#statuses.push(status);
      }
    } catch (error) {
      if (!this.#end.signal.aborted) throw error;
    }
  }
}
