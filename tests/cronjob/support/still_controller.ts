import type { EpochMs } from "../../../src/base/epoch_ms.ts";
import { PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { eventually } from "../../support/program.ts";

/** A controller by a clock that stands still. */
export class StillController implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly #concurrentSyncs: number;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(start: EpochMs, concurrentSyncs: number) {
    this.clock = new FakeClock(start);
    this.#concurrentSyncs = concurrentSyncs;
  }

  start(client: KubeClient, leading?: { ready(): Promise<void> }): void {
    const { clock } = this;
    const jobs = followChildren({ client, clock, flavours: [PRODUCTION] });
    const controller = new CronJobController({
      client,
      clock,
      flavour: PRODUCTION,
      jobs,
      leading,
      concurrentSyncs: this.#concurrentSyncs,
      recorder: { record: () => {} },
    });
    this.#running = controller.run(this.#stop.signal);
  }

  /** Waits for something that needs no time to pass. */
  eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
    return eventually(what, async () => {
      await this.clock.advance(0);
      return await isSo();
    }, 30_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    let isOver = false;
    this.#running.finally(() => isOver = true);
    while (!isOver) await this.clock.advance(1_000);
  }
}
