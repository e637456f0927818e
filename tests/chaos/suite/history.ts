import type { CronJobStatus } from "../../../src/cronjob/api/types.ts";
import type { CronJobPlan } from "./cron_jobs.ts";

/** A Job as the recorder saw it. */
export interface SeenJob {
  readonly uid: string;
  readonly name: string;
  /** `namespace/name` of its CronJob. */
  readonly cronJob: string;
  readonly slot: number;
  readonly createdVersion: number;
  /** By the recorder's clock, as all times here. */
  readonly seenAt: number;
  /** When the creation was asked for that made it, where that is known. */
  readonly askedAt?: number | undefined;
  /** When it was complete, failed or gone. */
  readonly endedVersion?: number;
  readonly endedAt?: number;
  /** A restored server has forgotten it. */
  readonly isUndone?: boolean;
}

/** A Pod of a Job. */
export interface SeenPod {
  readonly uid: string;
  readonly name: string;
  readonly jobUid: string;
  readonly createdVersion: number;
  readonly endedVersion?: number;
  readonly succeeded: boolean;
  /** The completion index, of an Indexed Job. */
  readonly index?: string | undefined;
}

/** A CronJob with what was seen of its status. */
export interface SeenCronJob {
  readonly plan: CronJobPlan;
  readonly createdAt: number;
  /** One after the other. */
  readonly statuses: readonly CronJobStatus[];
  /** Slots that a status once listed as refused, each with its outcome and reason. */
  readonly refused: ReadonlyMap<number, string>;
}

/** One fault, from its beginning until everything was well again. */
export interface Episode {
  readonly kind: string;
  readonly index: number;
  readonly from: number;
  /** When the fault was over. */
  readonly to: number;
  /** When each CronJob had gone on; undefined where one had not within the time given. */
  readonly recoveredAt: number | undefined;
  /** CronJobs that had not gone on by then. */
  readonly stuck: readonly string[];
  /** The only namespace whose requests failed. */
  readonly aimedAt?: string | undefined;
  /** The most requests within a second while it lasted. */
  readonly maxRequestsPerSecond: number;
  /** How often the same was asked for within one second at most; and what that was. */
  readonly mostOftenPerSecond: number;
  readonly mostOften?: string | undefined;
  readonly exceptions: readonly Exception[];
}

/** What a kind of fault makes impossible to promise. */
export type Exception =
  /** Nothing keeps a stopped process or a wrong clock from starting too late, or too early. */
  | "time"
  /** A restored server contradicts what has been counted, a wrong clock counts what is still to come. */
  | "counts"
  /** Two controllers at a time, which nothing keeps apart; or a server that has forgotten a deletion. */
  | "overlap"
  /** Of two controllers at a time one may be later than a Job of the other lives. */
  | "again"
  /** Nothing is left of a Job that is deleted by other hands just as the process dies that started it. */
  | "deleted";

/** All that a judge looks at: what happened in one world. */
export interface History {
  readonly cronJobs: readonly SeenCronJob[];
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  readonly episodes: readonly Episode[];
  /** When controllers were at work; slots before and after these two are not judged. */
  readonly from: number;
  readonly until: number;
  /** Requests that named no object and had to. */
  readonly nameless: readonly { readonly at: number; readonly message: string }[];
  /** What controllers wrote that they must not, such as uncaught errors. */
  readonly crashes: readonly { readonly at: number; readonly message: string }[];
}

export function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
