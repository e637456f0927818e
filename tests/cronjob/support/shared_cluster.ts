import { assertEquals } from "@std/assert";
import { addAdoptCommand } from "../../../src/cli/adopt.ts";
import { addReleaseCommand } from "../../../src/cli/release.ts";
import type { CronJobObject } from "../../../src/cronjob/types.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type Printed, runCommand } from "../../cli/run_command.ts";
import { UpstreamCronJobController } from "../../support/upstream_cronjob_controller.ts";
import { BATCH, Running } from "./running.ts";

const DAY = "2026-03-10";

/** `10:00:00` on the day of these tests. */
export function at(time: string): string {
  return `${DAY}T${time}Z`;
}

/** A cluster whose kube-controller-manager is there, and looks whenever a test lets it. */
export class SharedCluster implements AsyncDisposable {
  readonly upstream: UpstreamCronJobController;
  readonly #statuses: string[] = [];
  readonly #watch = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  private constructor(readonly running: Running) {
    this.upstream = new UpstreamCronJobController(running.client, () => running.clock.now());
  }

  static async start(time: string): Promise<SharedCluster> {
    const shared = new SharedCluster(await Running.start(at(time), { controller: false }));
    shared.#watching = shared.#watchStatus();
    return shared;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.abort();
    await this.#watching;
    await this.running[Symbol.asyncDispose]();
  }

  command(add: typeof addAdoptCommand, ...args: string[]): Promise<Printed> {
    const { kubeconfigPath } = this.running.server.server;
    return runCommand(add, ...args, "--kubeconfig", kubeconfigPath);
  }

  adopt(...args: string[]): Promise<Printed> {
    return this.command(addAdoptCommand, "adopt", ...args);
  }

  release(...args: string[]): Promise<Printed> {
    return this.command(addReleaseCommand, "release", ...args);
  }

  get(name = "c"): Promise<CronJobObject> {
    return this.running.get(BATCH, name);
  }

  /** Every status that CronJob `c` had, one after the other. */
  async #watchStatus(): Promise<void> {
    try {
      for await (const { object } of this.running.client.watch(BATCH.resource, { signal: this.#watch.signal })) {
        if (object.metadata.name !== "c") continue;
        const { active = [], ...times } = object.status ?? {};
        const status = JSON.stringify([active.map(({ name }) => name), times]);
        if (status !== this.#statuses.at(-1)) this.#statuses.push(status);
      }
    } catch {
      // The test has ended.
    }
  }

  /** No status came back after another had taken its place. */
  assertStatusNeverWentBack(): void {
    assertEquals(this.#statuses.length, new Set(this.#statuses).size, this.#statuses.join("\n"));
  }

  /** The Job for this time, as soon as it is there. */
  jobFor(time: string): Promise<Job> {
    return this.running.until(
      `the Job of ${time}`,
      async () =>
        (await this.running.jobs()).find(({ metadata }) =>
          Date.parse(metadata.annotations?.[BATCH.scheduledTimeAnnotation] ?? "") === Date.parse(at(time))
        ),
    );
  }

  /** Waits until the CronJob's status says so; the other controller looks meanwhile, as it does after every change. */
  statusWith(what: string, is: (status: NonNullable<CronJobObject["status"]>) => unknown): Promise<unknown> {
    return this.running.until(what, async () => {
      await this.upstream.sync();
      return is((await this.get()).status ?? {});
    });
  }

  async whoControls(): Promise<Record<string, string | undefined>> {
    const jobs = await this.running.jobs();
    return Object.fromEntries(jobs.map((job) => [job.metadata.name, controllerOf(job)?.kind]));
  }
}
