import { AssertionError } from "@std/assert";
import { stringify } from "yaml";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { loadConnection } from "../../../src/kube/connection.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { type Event, EVENTS, type Job, JOBS } from "../../../src/kube/resource.ts";
import { eventually, kubectlOk, Standalone, temporaryFolder } from "../../support/program.ts";
import { cronJobOf, shellTemplate } from "../../support/cron_job.ts";
import type { Loose } from "../../../src/base/loose.ts";

/** What to make a CronJob of. */
export interface CronJobGiven {
  name: string;
  spec?: Loose<Partial<CronJobSpec>>;
  /** What its only container runs. */
  script?: string;
  /** Without their prefix `cronjob-controller.dev/`. */
  annotations?: Record<string, string>;
}

/** Starts once, long after the test. */
export const YEARLY = "0 0 1 1 *";

/**
 * A running program on the CronJobs of one flavour, which kubectl applies. What there is is read without kubectl, as it is
 * looked at many times a second; and changed without it, which asks for the same and takes a tenth of a second of CPU.
 */
export class Cluster implements AsyncDisposable {
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<Seen> | undefined;

  private constructor(
    readonly api: Flavour,
    readonly standalone: Standalone,
    readonly client: HttpKubeClient,
    readonly folder: AsyncDisposable,
  ) {}

  static async start(api: Flavour, args: string[] = []): Promise<Cluster> {
    const folder = await temporaryFolder();
    const standalone = await Standalone.start(`${folder.path}/data`, args);
    const client = HttpKubeClient.to(await loadConnection(standalone));
    return new Cluster(api, standalone, client, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.standalone[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  kubectl(...args: string[]): Promise<string> {
    return kubectlOk(this.standalone.kubeconfig, args);
  }

  async apply(...given: CronJobGiven[]): Promise<void> {
    const manifests = given.map((one) => stringify(manifestOf(this.api, one))).join("---\n");
    await kubectlOk(this.standalone.kubeconfig, ["apply", "-f", "-"], manifests);
  }

  async patch(name: string, spec: Partial<CronJobSpec>): Promise<void> {
    await this.#merge(name, { spec });
  }

  /** @param annotation without its prefix, as `name=value` */
  async annotate(name: string, annotation: string): Promise<void> {
    const [key, ...value] = annotation.split("=");
    await this.#merge(name, { metadata: { annotations: { [`cronjob-controller.dev/${key}`]: value.join("=") } } });
  }

  async delete(...names: string[]): Promise<void> {
    const { client, api: { resource } } = this;
    for (const name of names) {
      await client.delete(resource, { namespace: "default", name }, { propagationPolicy: "Background" });
    }
  }

  /** All there is, as of a moment after this call; callers that ask meanwhile share the answer. */
  look(): Promise<Seen> {
    return this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      const reading = this.#read();
      this.#reading = reading.catch(() => {});
      return reading;
    });
  }

  /** Looks until `find` finds something. */
  until<T>(what: string, find: (seen: Seen) => T | undefined | false): Promise<T> {
    return eventually(what, async () => find(await this.look()));
  }

  async #merge(name: string, body: object): Promise<void> {
    await this.client.patch(this.api.resource, { namespace: "default", name }, { type: "merge", body });
  }

  async #read(): Promise<Seen> {
    const [cronJobs, jobs, events] = await Promise.all([
      this.client.list(this.api.resource),
      this.client.list(JOBS),
      this.client.list(EVENTS),
    ]);
    return new Seen(this.api, cronJobs.items, jobs.items, events.items);
  }
}

/** All CronJobs, Jobs and Events of a moment. */
export class Seen {
  constructor(
    readonly api: Flavour,
    readonly cronJobs: readonly CronJobObject[],
    readonly jobs: readonly Job[],
    readonly allEvents: readonly Event[],
  ) {}

  cronJob(name: string): CronJobObject {
    const found = this.cronJobs.find(({ metadata }) => metadata.name === name);
    if (!found) throw new AssertionError({ message: `There is no CronJob ${name}` });
    return found;
  }

  status(name: string): NonNullable<CronJobObject["status"]> {
    return this.cronJob(name).status ?? {};
  }

  /** Of the CronJob, without the prefix. */
  annotation(name: string, annotation: string): string | undefined {
    return this.cronJob(name).metadata.annotations?.[`cronjob-controller.dev/${annotation}`];
  }

  /** Oldest first. */
  jobsOf(name: string): Job[] {
    const own = this.jobs.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    return own.sort((a, b) => this.slotOf(a) - this.slotOf(b));
  }

  slotOf({ metadata }: Job): number {
    return Date.parse(metadata.annotations?.[this.api.scheduledTimeAnnotation] ?? "");
  }

  /** Of the CronJob. */
  events(name: string, reason: string): Event[] {
    return this.allEvents.filter((event) =>
      event.involvedObject.kind === "CronJob" && event.involvedObject.name === name && event.reason === reason
    );
  }
}

export function manifestOf(api: Flavour, { name, spec, script = "true", annotations = {} }: CronJobGiven) {
  const { spec: { template } } = shellTemplate(script);
  const prefixed = Object.entries(annotations).map(([key, value]) => [`cronjob-controller.dev/${key}`, value]);
  // However late a test looks, what ran is still there.
  const limits = { startingDeadlineSeconds: 60, successfulJobsHistoryLimit: 1_000, failedJobsHistoryLimit: 1_000 };
  return cronJobOf(api, {
    name,
    annotations: Object.fromEntries(prefixed),
    spec: { schedule: "@every 1s", ...limits, jobTemplate: { spec: { template } }, ...spec },
  });
}

/** Proves all points at the same time, as most of each is waiting; then says which failed. */
export async function prove(points: Record<string, () => Promise<void>>): Promise<void> {
  const failures: string[] = [];
  await Promise.all(
    Object.entries(points).map(([sentence, point]) =>
      point().catch((error) => void failures.push(`${sentence}: ${error.stack ?? error}`))
    ),
  );
  if (failures.length > 0) throw new AssertionError({ message: failures.join("\n\n") });
}

/** Until the clock has passed this time. */
export async function passed(time: number): Promise<void> {
  await eventually(new Date(time).toISOString(), () => Promise.resolve(Date.now() > time));
}
