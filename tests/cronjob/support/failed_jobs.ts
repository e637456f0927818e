import { PREFIX, TRIGGER } from "../../../src/cronjob/api/annotations.ts";
import { assertEquals } from "@std/assert";
import * as fc from "../../support/fast_check.ts";
import { type Flavour, FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import type { EndOf } from "../../../src/cronjob/knowledge/knowledge.ts";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import { Starting } from "./starting.ts";

/** One minute of a history. */
export interface Minute {
  /** Names of the failed Jobs that there are, and of those that there should be. */
  readonly there: readonly string[];
  readonly wanted: readonly string[];
}

/** How long a history is. */
export const MINUTES = 16;

interface Ended {
  readonly name: string;
  readonly endedAt: EpochMs;
  readonly hasFailed: boolean;
  readonly byHand: boolean;
}

/** Compares so many random histories, of each flavour, with a plain count of all ends. */
export async function checkFailedJobs(numRuns: number): Promise<void> {
  const history = fc.asyncProperty(fc.integer(), fc.constantFrom(...FLAVOURS), async (seed, flavour) => {
    for await (const { there, wanted } of playFailedJobs(seed, flavour)) assertEquals(there, wanted);
  });
  await fc.assert(history, { numRuns });
}

/**
 * Plays a random history of a CronJob that keeps failed Jobs until a success: runs by schedule and by hand that overlap and
 * end in any order, Pods that can't be read for a while, and processes that end.
 */
export async function* playFailedJobs(seed: number, flavour: Flavour): AsyncGenerator<Minute> {
  const random = randomOf(seed);
  const limit = [1, 3, 8][Math.floor(random() * 3)]!;
  const failureRate = random();
  const read = new Set<string>();
  let isReadable = true;
  const s = keepingUntilSuccess(flavour, limit, ({ metadata: { name } }) => {
    if (!isReadable) return Promise.reject(new ApiError("not now", { code: 503 }));
    read.add(name);
    return Promise.resolve({ exitCode: 1, reason: "Error", message: "broken" });
  });
  const ended: Ended[] = [];
  let failed: Ended[] = [];
  for (let minute = 1; minute <= MINUTES; minute++) {
    s.set(`10:${String(minute).padStart(2, "0")}`);
    await s.fire();
    if (random() < 0.1) s.edit({ metadata: { annotations: { [TRIGGER]: `m${minute}` } } });
    if (random() < 0.2) isReadable = !isReadable || random() < 0.7;
    if (random() < 0.1) s.boot();
    await s.comeToRest();
    const active = s.server.unfinished;
    for (const job of active.filter(() => random() < 0.4)) {
      s.pass(Math.floor(random() * 5) * 1_000);
      const hasFailed = random() < failureRate;
      s.finishJob(job, hasFailed ? "Failed" : "Complete");
      const { name, annotations } = job.metadata;
      const byHand = annotations?.[TRIGGER] !== undefined;
      const end = { name, endedAt: s.now(), hasFailed, byHand };
      ended.push(end);
      if (hasFailed) failed.push(end);
    }
    // What has just been read, written or deleted arrives.
    for (let i = 0; i < 2; i++) await s.comeToRest();
    failed = whatStays(failed, { ended, read, limit });
    yield { there: failedJobs(s), wanted: failed.map(({ name }) => name).sort() };
  }
}

function whatStays(
  failed: readonly Ended[],
  { ended, read, limit }: { ended: readonly Ended[]; read: ReadonlySet<string>; limit: number },
): Ended[] {
  const successes = ended.filter(({ hasFailed }) => !hasFailed);
  const unanswered = failed.filter(({ name, byHand, endedAt }) =>
    byHand || !read.has(name) || !successes.some((success) => success.endedAt > endedAt)
  );
  return unanswered.sort((a, b) => a.endedAt - b.endedAt || (a.name < b.name ? -1 : 1)).slice(-limit);
}

function keepingUntilSuccess(flavour: Flavour, failedJobsHistoryLimit: number, endOf: EndOf): Starting {
  const spec = { schedule: "*/2 * * * *", failedJobsHistoryLimit };
  return flavour.extrasIn === "spec"
    ? new Starting({ flavour, endOf, spec: { ...spec, failedJobs: "KeepUntilSuccess" } })
    : new Starting({ flavour, endOf, spec, annotations: { [`${PREFIX}/failed-jobs`]: "KeepUntilSuccess" } });
}

function failedJobs({ server }: Starting): string[] {
  const hasFailed = ({ status }: Job) => status?.conditions?.some(({ type }) => type === "Failed") ?? false;
  return [...server.jobs.values()].filter(hasFailed).map(({ metadata }) => metadata.name).sort();
}

/** Numbers of [0, 1) that a seed gives: a linear congruential generator. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
