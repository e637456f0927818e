import { assert, assertEquals } from "@std/assert";
import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { must } from "../../support/expected.ts";
import { waitsInLine } from "../suite/cron_jobs.ts";
import type { HandOver } from "./replicas.ts";
import { Witness } from "./witness.ts";

/** A CronJob whose every slot is accounted for afterwards. */
export interface WatchedCronJob {
  readonly name: string;
  readonly everySeconds: number;
  /** How long its Jobs take. */
  readonly runSeconds: number;
  readonly spec: Partial<CronJobObject["spec"]>;
}

export const CRON_JOBS: readonly WatchedCronJob[] = [
  { name: "all", everySeconds: 1, runSeconds: 0, spec: { catchUp: { policy: "All" } } },
  {
    name: "all-no-history",
    everySeconds: 2,
    runSeconds: 0,
    spec: { catchUp: { policy: "All" }, successfulJobsHistoryLimit: 0 },
  },
  { name: "latest", everySeconds: 2, runSeconds: 1, spec: {} },
  { name: "forbid", everySeconds: 2, runSeconds: 3, spec: { concurrencyPolicy: "Forbid" } },
];

/** When a Job that is due is started at the latest by a leader that lives, unless the machine lets it wait for longer. */
const REACTION_MS = 1_500;

interface SeenJob {
  readonly slot: number;
  readonly uid: string;
  /** By the wall clock. */
  readonly seenAt: number;
  readonly startedAt: number;
  endedAt: number;
}

/** Watches everything that happens in a namespace from the beginning, and runs the Jobs: they end when their time is over. */
export class HandOverHistory extends Witness {
  readonly #jobs = new Map<string, SeenJob[]>();
  readonly #cronJobs = new Map<string, CronJobObject>();

  static async begin(client: HttpKubeClient, namespace: string): Promise<HandOverHistory> {
    const history = new HandOverHistory(client, namespace);
    history.follow(JOBS, (job, isGone) => history.#sawJob(job, isGone));
    history.follow(TUTORIAL.resource, (cronJob) => history.#sawCronJob(cronJob));
    await Promise.all(CRON_JOBS.map(async (cronJob) => {
      const created = await createCronJob(client, namespace, cronJob);
      history.#cronJobs.set(cronJob.name, created);
    }));
    return history;
  }

  /** What must hold when both replicas have ended, for a history with these gaps. */
  check(handOvers: readonly HandOver[]): void {
    assertEquals(this.troubles, []);
    for (const { name, everySeconds, spec } of CRON_JOBS) {
      const jobs = this.#jobs.get(name) ?? [];
      const slots = jobs.map(({ slot }) => slot);
      assertEquals(slots.length, new Set(slots).size, `${name}: a slot has two Jobs`);
      const cronJob = this.#cronJobs.get(name)!;
      const last = Math.max(...slots);
      const due: number[] = [];
      for (let slot = Date.parse(cronJob.metadata.creationTimestamp);;) {
        slot += everySeconds * 1_000;
        if (slot > last) break;
        due.push(slot);
      }
      const without = due.filter((slot) => !slots.includes(slot));
      assertEquals(Date.parse(cronJob.status?.lastScheduleTime ?? ""), last, `${name}: the status is behind`);
      const { missed = 0, skipped = 0 } = cronJob.status?.counts ?? {};
      if (spec.catchUp?.policy === "All") {
        // On a slow machine some still wait when both replicas have ended.
        const lost = without.filter((slot) => !waitsInLine(cronJob.status, slot));
        assertEquals(lost.map(inWords), [], `${name}: slots were lost`);
        assertEquals(missed, 0);
      } else if (spec.concurrencyPolicy === "Forbid") {
        this.#checkAlone(name);
        // The last Job was still active when the next time but one came.
        const after = (cronJob.status?.recentRuns ?? []).filter(({ outcome, scheduledTime }) =>
          outcome === "Skipped" && Date.parse(scheduledTime ?? "") > last
        );
        assertEquals(missed + skipped, without.length + after.length, `${name}: a slot is not accounted for`);
      } else {
        const inNoGap = without.filter((slot) =>
          !handOvers.some(({ from, to }) => from - REACTION_MS < slot && slot < to)
        );
        const outside = inNoGap.filter((slot) => !this.#wasLateAt(slot));
        assert(inNoGap.length <= due.length / 5, `${name}: the leader was late too often: ${inNoGap.map(inWords)}`);
        assertEquals(outside.map(inWords), [], `${name}: slots outside of any gap were passed over`);
        const uncounted = `${name}: not all counted that were passed over: ${without.map(inWords)}; hand-overs: ` +
          handOvers.map(({ ending, from, to }) => `${ending} ${inWords(from)} to ${inWords(to)}`);
        assertEquals(missed, without.length, uncounted);
      }
    }
  }

  /** Whether the watches have delivered all that there is. */
  async isComplete(): Promise<boolean> {
    const { client, namespace } = this;
    const [jobs, cronJobs] = await Promise.all([
      client.list(JOBS, { namespace }),
      client.list(TUTORIAL.resource, { namespace }),
    ]);
    const seen = new Set([...this.#jobs.values()].flat().map(({ uid }) => uid));
    return jobs.items.every(({ metadata }) => seen.has(metadata.uid)) &&
      cronJobs.items.every(({ metadata: { name, resourceVersion } }) =>
        this.#cronJobs.get(name)?.metadata.resourceVersion === resourceVersion
      );
  }

  get startedJobs(): number {
    return [...this.#jobs.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  }

  /** How many slots of the CronJobs with the default policy were passed over. */
  get passedOver(): number {
    return this.#cronJobs.get("latest")?.status?.counts?.missed ?? 0;
  }

  /** Whether what is always caught up with was started late too: the machine had no time for the leader. */
  #wasLateAt(slot: number): boolean {
    const [every] = CRON_JOBS;
    return (this.#jobs.get(every!.name) ?? []).some((job) =>
      slot <= job.slot && job.slot < slot + 2_000 && job.seenAt - job.slot > REACTION_MS
    );
  }

  #checkAlone(name: string): void {
    const jobs = this.#jobs.get(name)!.toSorted((a, b) => a.startedAt - b.startedAt);
    jobs.reduce((before, job) => {
      assert(
        before.endedAt <= job.startedAt,
        `${name}: ${inWords(job.slot)} was started beside ${inWords(before.slot)}`,
      );
      return job;
    });
  }

  #sawJob(job: Job, isGone: boolean): void {
    const name = controllerOf(job)?.name;
    if (name === undefined) return;
    const { uid } = job.metadata;
    const jobs = this.#jobs.get(name) ?? [];
    this.#jobs.set(name, jobs);
    const known = jobs.find((seen) => seen.uid === uid);
    const isOver = isGone || job.status?.conditions?.length;
    if (known && isOver) known.endedAt = Math.min(known.endedAt, performance.now());
    if (known || isGone) return;
    const slot = Date.parse(must(job.metadata.annotations![TUTORIAL.scheduledTimeAnnotation]));
    jobs.push({ slot, uid, seenAt: Date.now(), startedAt: performance.now(), endedAt: Infinity });
    const { runSeconds } = CRON_JOBS.find((cronJob) => cronJob.name === name)!;
    this.complete(job, runSeconds * 1_000);
  }

  #sawCronJob(cronJob: CronJobObject): void {
    const { name } = cronJob.metadata;
    const before = this.#cronJobs.get(name)?.status;
    const after = cronJob.status;
    const values = (status: typeof before) => [
      Date.parse(status?.lastScheduleTime ?? "") || 0,
      Date.parse(status?.lastSuccessfulTime ?? "") || 0,
      status?.counts?.succeeded ?? 0,
      status?.counts?.missed ?? 0,
    ];
    const earlier = values(before);
    if (values(after).some((value, i) => value < must(earlier[i]))) {
      this.troubles.push(`The status of ${name} went back: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`);
    }
    this.#cronJobs.set(name, cronJob);
  }
}

/** Fires by the second. */
export function createCronJob(
  client: HttpKubeClient,
  namespace: string,
  { name, everySeconds, spec }: Pick<WatchedCronJob, "name" | "everySeconds" | "spec">,
): Promise<CronJobObject> {
  const given = { name, namespace, spec: { schedule: `@every ${everySeconds}s`, ...spec } };
  return client.create(TUTORIAL.resource, cronJobOf(TUTORIAL, given));
}

function inWords(slot: number): string {
  return new Date(slot).toISOString();
}
