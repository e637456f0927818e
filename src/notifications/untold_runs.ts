import type { EpochMs } from "../base/epoch_ms.ts";
import type { EndedRun } from "./ended_run.ts";
import { NEWS_MS, type NextReport } from "./next_notification.ts";
import { isReported, type NotifiedRecord, writeNotified } from "./notified_record.ts";

/** How many untold failures of one CronJob are remembered, and how many successes: of more the oldest are dropped. */
const REMEMBERED_RUNS = 1_000;

/** The runs of one CronJob that are still to be reported, as far as this process knows: its Jobs may be gone before. */
export class UntoldRuns {
  /** The last report, whether it is written or not. */
  record: NotifiedRecord | undefined;
  /** Whether `record` is still to be written. */
  isUnrecorded = false;
  /** The notification that was attempted, and may have arrived. */
  attempted: NextReport | undefined;
  /** Until when its failures were announced to wait. */
  waitsUntil: EpochMs | undefined;
  /** How many failures found no room. */
  #crowdedOut = 0;
  readonly #cronJobUid: string;
  /** By UID of the Job. */
  readonly #runs = new Map<string, EndedRun>();

  constructor(cronJobUid: string, record: NotifiedRecord | undefined) {
    this.#cronJobUid = cronJobUid;
    this.record = record;
  }

  get recordText(): string | undefined {
    return this.record && writeNotified(this.#cronJobUid, this.record);
  }

  /** Whether a success would be news. */
  get isFailing(): boolean {
    return (this.record?.inARow ?? 0) > 0 || this.#runs.values().some(({ outcome }) => outcome === "failed");
  }

  add(run: EndedRun): void {
    this.#runs.set(run.uid, run);
    if (this.#runs.size <= REMEMBERED_RUNS) return;
    // No success takes the place of a failure.
    const alike = [...this.#runs.values()].filter(({ outcome }) => outcome === run.outcome);
    if (alike.length <= REMEMBERED_RUNS) return;
    // They come in any order: at a start, what is remembered is added after what the server has.
    const oldest = alike.reduce((a, b) => b.endTime < a.endTime ? b : a);
    this.#runs.delete(oldest.uid);
    // The attempted notification already includes it.
    const isAttempted = oldest.endTime <= (this.attempted?.notification.run.endTime ?? -Infinity);
    if (oldest.outcome === "failed" && !isAttempted) this.#crowdedOut++;
  }

  /** The remembered runs, and these. */
  with(others: readonly EndedRun[]): readonly EndedRun[] {
    return [...new Map([...this.#runs, ...others.map((run) => [run.uid, run] as const)]).values()];
  }

  /** Called once a notification was reported. */
  told({ record }: NextReport): void {
    this.record = record;
    this.isUnrecorded = true;
    this.attempted = undefined;
    for (const run of this.#runs.values()) {
      if (run.outcome === "failed" ? isReported(record, run) : record.inARow === 0) this.#runs.delete(run.uid);
    }
  }

  /** Forgets what is no news any more. Returns how many failures and recoveries were dropped since the last call. */
  dropStale(now: EpochMs): number {
    let dropped = this.#crowdedOut;
    this.#crowdedOut = 0;
    for (const { uid, outcome, endTime } of this.#runs.values()) {
      if (endTime > now - NEWS_MS) continue;
      this.#runs.delete(uid);
      if (outcome === "failed") dropped++;
    }
    if (this.attempted && this.attempted.notification.since <= now - NEWS_MS) {
      if (this.attempted.notification.kind === "recovered") dropped++;
      this.attempted = undefined;
    }
    return dropped;
  }
}
