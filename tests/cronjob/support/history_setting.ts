import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../../src/cronjob/api/types.ts";
import type { DriverOptions } from "./driver.ts";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";

/** The CronJob of a history, and its surroundings. */
export interface Setting {
  api: Flavour;
  spec: Partial<CronJobSpec>;
  /** Annotations for the flavour that has its settings there. */
  annotations?: Record<string, string>;
  /** Whether edits of `spec.schedule` change nothing. */
  isNotEdited?: boolean;
  /** Which times are excluded, said in other words than the setting's. */
  isExcluded?: (slot: EpochMs) => boolean;
  /** Whether changes reach the caches at once unless an action holds them back. */
  prompt: boolean;
  /** How long Pods may wait until they are ready; absent: for ever. */
  pendingSeconds?: number;
  /** Whether the API server's clock is never set. */
  serverIsRight?: boolean;
  /** Whether the CronJob is the controller's. */
  isOurs?: DriverOptions["isOurs"];
  beforeRequest?: DriverOptions["beforeRequest"];
}
