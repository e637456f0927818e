import { addAdoptCommand } from "../../../src/cli/adopt/command.ts";
import { addReleaseCommand } from "../../../src/cli/release/command.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type Printed, runCommand } from "../../cli/support/run_command.ts";
import { StatusHistory } from "../../support/status_history.ts";
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
  /** Of CronJob `c`. */
  readonly statuses: StatusHistory;

  private constructor(readonly running: Running) {
    this.upstream = new UpstreamCronJobController(running.client, () => running.clock.now());
    this.statuses = new StatusHistory(running.client, "default/c");
  }

  static async start(time: string): Promise<SharedCluster> {
    return new SharedCluster(await Running.start(at(time), { controller: false }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.statuses[Symbol.asyncDispose]();
    await this.running[Symbol.asyncDispose]();
  }

  command(add: typeof addAdoptCommand, ...args: string[]): Promise<Printed> {
    const { kubeconfigPath } = this.running.server.server;
    return runCommand(add, ...args, "--kubeconfig", kubeconfigPath);
  }

  adopt(...args: string[]): Promise<Printed> {
    return this.command(addAdoptCommand, "adopt", "--force", ...args);
  }

  release(...args: string[]): Promise<Printed> {
    return this.command(addReleaseCommand, "release", ...args);
  }

  get(name = "c"): Promise<CronJobObject> {
    return this.running.get(BATCH, name);
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
