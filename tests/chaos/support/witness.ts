import { SystemClock } from "../../../src/base/clock.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { type Job, JOBS, type Resource } from "../../../src/kube/resource.ts";
import { Watcher } from "../../../src/runtime/watcher.ts";
import { completedAt } from "../../support/ended_job.ts";

/** Sees what happens to objects from the beginning, and ends Jobs as a Job controller would, until it is disposed of. */
export class Witness implements AsyncDisposable {
  /** Incidents that should not have happened. */
  readonly troubles: unknown[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #wake = Promise.withResolvers<void>();

  /** @param namespace all, if not given */
  constructor(readonly client: HttpKubeClient, readonly namespace?: string) {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** Waits for something that an event brings about, and looks at it as soon as one came; fails after ten minutes. */
  async until(what: string, condition: () => boolean): Promise<void> {
    const deadline = performance.now() + 600_000;
    while (!condition()) {
      if (this.troubles.length > 0) throw this.troubles[0];
      if (performance.now() > deadline) throw new Error(`Not within ten minutes: ${what}`);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const aWhile = new Promise<void>((resolve) => timer = setTimeout(resolve, 1_000));
      await Promise.race([this.#wake.promise, aWhile]);
      clearTimeout(timer);
    }
  }

  /** Runs beside it. */
  protected run(part: (signal: AbortSignal) => Promise<void>): void {
    this.#running.push(part(this.#stop.signal));
  }

  protected follow<T extends KubeObject>(resource: Resource<T>, see: (object: T, isGone: boolean) => void): void {
    const { client, namespace } = this;
    const watcher = new Watcher({ client, clock: new SystemClock(), resource, namespace });
    this.run(async (signal) => {
      for await (const event of watcher.events(signal)) {
        if (event.type === "InitPage") { for (const object of event.objects) see(object, false); }
        if (event.type === "Apply" || event.type === "Delete") see(event.object, event.type === "Delete");
        if (event.type === "Error") this.troubles.push(event.error);
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      }
    });
  }

  protected complete({ metadata: { name, namespace } }: Job, afterMs = 0): void {
    this.run(async (signal) => {
      try {
        if (afterMs > 0) await new SystemClock().sleep(afterMs, signal);
        const body = { status: completedAt(new Date().toISOString().replace(/\.\d+/, "")) };
        const options = { subresource: "status", lane: "run", signal } as const;
        await this.client.patch(JOBS, { name, namespace }, { type: "merge", body }, options);
      } catch (error) {
        if (!signal.aborted) this.troubles.push(error);
      }
    });
  }
}
