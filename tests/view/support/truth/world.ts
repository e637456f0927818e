import type { Flavour } from "../../../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../../../src/cronjob/api/types.ts";
import type { EpochMs } from "../../../../src/base/epoch_ms.ts";

/** Whose wall clock crontabs go by. */
export const ZONE = "Europe/Berlin";

/** So long before and after someone asks counts. */
export const HOURS_MS = 6 * 60 * 60_000;

/** What happens to a CronJob, or to those who run it, before anyone asks. */
export type Incident = { readonly at: EpochMs } & Happening;

export type Happening =
  | { readonly do: "edit"; readonly spec: Partial<CronJobSpec> }
  | { readonly do: "annotate"; readonly annotations: Readonly<Record<string, string | null>> }
  | { readonly do: "adopt" }
  | { readonly do: "release" }
  /** By the commands of these names. */
  | { readonly do: "pause"; readonly until: EpochMs | undefined }
  | { readonly do: "resume" }
  /** Without an end where nothing says how long it lasts. */
  | {
    readonly do: "outage";
    readonly who: "ours" | "kubernetes";
    readonly seconds: number | undefined;
    readonly isGivenBack: boolean;
  };

/** A CronJob in its surroundings, and all that happens until someone asks about it. */
export interface World {
  readonly flavour: Flavour;
  /**
   * Who is there: this program alone, as `standalone` or on a cluster for all CronJobs; kube-controller-manager alone, as if
   * this program were not installed; both, where this program runs what is adopted; or both, where this program ran all of
   * `batch/v1` for a while, and is gone.
   */
  readonly controllers: "standalone" | "ours" | "kubernetes" | "beside" | "trial";
  /** An entry of a crontab: the CronJob is what it is imported as. */
  readonly entry?: string;
  readonly spec: Partial<CronJobSpec>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: EpochMs;
  readonly asksAt: EpochMs;
  readonly durationSeconds: number;
  /** Which runs fail: each of this number; 0 for none. */
  readonly failsEvery: number;
  /** In their order. */
  readonly incidents: readonly Incident[];
  /** Which of the scheduled times are asked about. */
  readonly picks: readonly number[];
}
