import { ApiError } from "../kube/api_error.ts";
import type { ObjectKey } from "../kube/object.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { managedProblem } from "./api/annotation_settings.ts";
import { MANAGED } from "./api/annotations.ts";
import { isManagedUnread } from "./api/stewardship.ts";
import { type CronJob, cronJobKey } from "./api/cron_job.ts";
import { zoneOf } from "./api/zone.ts";
import { spreadOffsetMs } from "./decision/spread.ts";
import type { Unreported } from "./knowledge/unreported.ts";
import type { CronJobName, CronJobObserver, NotFollowed } from "./observer.ts";
import { created, type PlannedEvent, type RunNotice } from "./status/events.ts";
import type { CronJobReport } from "./status/report.ts";
import type { Trouble } from "./status/troubles.ts";

const logger = loggerFor("cronjob");

/** The outcome of a run, and its CronJob. */
export interface RunEvent extends RunNotice {
  readonly cronJob: ObjectKey;
  readonly apiVersion: string;
  /** By whose wall clock the CronJob's times are shown. */
  readonly timeZone: string;
}

/** A CronJob is followed again, or why it is not. */
export interface FollowedEvent {
  readonly cronJob: ObjectKey;
  readonly apiVersion: string;
  /** Undefined: it is. */
  readonly notFollowed: NotFollowed | undefined;
}

export interface CronJobReporterOptions {
  readonly recorder: EventSink;
  readonly observer?: CronJobObserver;
  /** Called when a run starts, ends, is refused or replaced. Must not throw. */
  readonly onRun?: (event: RunEvent) => void;
  /** Called when a CronJob is no longer followed, for another reason, or is followed again. Must not throw. */
  readonly onFollowed?: (event: FollowedEvent) => void;
  /** Called with the troubles of a CronJob after each decision. Must not throw. */
  readonly onTroubles?: ((cronJob: CronJob, troubles: readonly Trouble[]) => void) | undefined;
  /** Whether the CronJob is still there, and ours: a decision may end after it was deleted, or handed back. */
  readonly exists: (cronJob: CronJob) => boolean;
}

/** A line that holds until it no longer does: of an adopted CronJob that another controller runs all the same, and so on. */
type Lasting = "contested" | "shared" | "unread" | "notFollowed";

const LINES: Readonly<Record<RunNotice["outcome"], string>> = {
  started: "Started a run of {key}",
  succeeded: "A run of {key} succeeded",
  failed: "A run of {key} failed",
  waits: "A run of {key} waits {detail}",
  skipped: "Skipped a run of {key}: {reason}",
  replaced: "Replaced a run of {key}",
};

/** Says each thing once: by Event, log line, metric, and to observers. */
export class CronJobReporter {
  readonly #options: CronJobReporterOptions;
  /** By UID: the lines that still hold, each with its words. */
  readonly #said = new Map<string, Map<Lasting, string>>();

  constructor(options: CronJobReporterOptions) {
    this.#options = options;
  }

  /** Reports the Jobs that were created and are not reported yet. */
  started(cronJob: CronJob, unreported: Unreported): void {
    for (const { request, jobName, at, events } of unreported.takeStarted()) {
      this.announce(cronJob, unreported, [created(jobName, request), ...events], at);
    }
  }

  /** Records Events, and reports the runs among them, unless they were announced before. `at`: when a start took place. */
  announce(cronJob: CronJob, unreported: Unreported, events: readonly PlannedEvent[], at?: EpochMs): void {
    for (const { type, reason, message, about, scheduledTime, run, isNoticeOnly } of events) {
      if (!unreported.once(`${reason} ${about}`)) continue;
      if (!isNoticeOnly) {
        this.#options.recorder.record({ regarding: cronJob.object, type, reason, message, scheduledTime });
      }
      if (run) this.#run(run, { cronJob, type, at });
    }
  }

  /** Announces it when the API server refuses what `answer` waits for. */
  async whenRefused<T>(
    cronJob: CronJob,
    unreported: Unreported,
    eventOf: (message: string) => PlannedEvent,
    answer: Promise<T>,
  ): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ApiError) this.announce(cronJob, unreported, [eventOf(error.message)]);
      throw error;
    }
  }

  /** Counts the runs that a record refuses or passes over. Called once for each record. */
  count({ refused, passedOver }: Pick<CronJobReport, "refused" | "passedOver">, cronJob: CronJob): void {
    const { observer, exists } = this.#options;
    if (!observer || !exists(cronJob)) return;
    const name = nameOf(cronJob);
    for (const { outcome, scheduledTime, reason } of refused) {
      const trigger = scheduledTime === undefined ? "Manual" : "Schedule";
      if (outcome === "Skipped" || outcome === "Waiting") observer.run?.(name, { outcome: "Skipped", trigger });
      else observer.missed?.(name, { reason, count: 1 });
    }
    if (passedOver > 0) observer.missed?.(name, { reason: "PassedOver", count: passedOver });
  }

  /** Reports how a CronJob stands after a decision about it. */
  report(report: Pick<CronJobReport, "state" | "troubles">, cronJob: CronJob): void {
    const { state } = report;
    const { observer, onTroubles, exists } = this.#options;
    if (!exists(cronJob)) return;
    this.#contest(cronJob, state.isContested ?? false);
    this.#share(cronJob, state.rival);
    this.#follow(cronJob, state.notFollowed);
    onTroubles?.(cronJob, report.troubles);
    observer?.looked?.(nameOf(cronJob), state);
  }

  /** Reports a CronJob that is not run here, as its annotation `managed` has no known word: once for each value. */
  unadopted(cronJob: CronJob): void {
    const { object, metadata: { annotations } } = cronJob;
    const value = isManagedUnread(cronJob) ? annotations![MANAGED] : undefined;
    if (!this.#isNews(cronJob, "unread", value) || value === undefined) return;
    const message = managedProblem(value);
    this.#options.recorder.record({ regarding: object, type: "Warning", reason: "InvalidAnnotation", message });
    logger.warn("Not running {key}: {detail}", { ...this.#about(cronJob), detail: message });
  }

  /** Called when the CronJob is gone, or no longer ours. */
  forget(cronJob: CronJob): void {
    this.#said.delete(cronJob.metadata.uid);
    this.#options.observer?.gone?.(nameOf(cronJob));
  }

  #run(
    run: RunNotice,
    { cronJob, type, at }: { cronJob: CronJob; type: PlannedEvent["type"]; at: EpochMs | undefined },
  ): void {
    const { observer, onRun, exists } = this.#options;
    const { outcome, scheduledTime } = run;
    this.#log(run, cronJob, type);
    onRun?.({
      ...run,
      cronJob: cronJobKey(cronJob),
      apiVersion: cronJob.flavour.apiVersion,
      timeZone: zoneOf(cronJob),
    });
    if (at !== undefined && outcome === "started" && scheduledTime !== undefined) {
      const skewMs = at - scheduledTime - spreadOffsetMs(cronJob);
      observer?.jobCreated?.({ skewSeconds: Math.max(0, skewMs) / 1_000 });
    }
    if (outcome !== "succeeded" && outcome !== "failed" || !exists(cronJob)) return;
    observer?.run?.(nameOf(cronJob), {
      outcome: outcome === "succeeded" ? "Succeeded" : "Failed",
      trigger: scheduledTime === undefined ? "Manual" : "Schedule",
    });
  }

  #log(
    { outcome, jobName, scheduledTime, reason, message }: RunNotice,
    cronJob: CronJob,
    type: PlannedEvent["type"],
  ): void {
    const properties = {
      ...this.#about(cronJob),
      job: jobName,
      scheduledTime: scheduledTime === undefined ? undefined : formatTime(scheduledTime),
      reason,
      detail: message,
    };
    const isSurprising = outcome === "skipped" && type === "Warning";
    logger[isSurprising ? "warn" : "info"](LINES[outcome], properties);
  }

  #contest(cronJob: CronJob, isContested: boolean): void {
    if (!this.#isNews(cronJob, "contested", isContested ? "" : undefined)) return;
    const about = this.#about(cronJob);
    if (!isContested) logger.info("Running {key} again: its spec.suspend is true again", about);
    else logger.warn("Leaving {key} alone: it is adopted, but spec.suspend is not true, so another runs it", about);
  }

  #share(cronJob: CronJob, rival: string | undefined): void {
    if (!this.#isNews(cronJob, "shared", rival && "") || rival === undefined) return;
    logger.warn("Another controller runs {key} as well: {reason}", { ...this.#about(cronJob), reason: rival });
  }

  #follow(cronJob: CronJob, notFollowed: NotFollowed | undefined): void {
    const { reason, message: detail } = notFollowed ?? {};
    if (!this.#isNews(cronJob, "notFollowed", notFollowed && `${reason} ${detail}`)) return;
    const about = this.#about(cronJob);
    if (!notFollowed) logger.info("Following {key} again", about);
    // A refused creation has its line already.
    else if (reason !== "FailedCreate") {
      logger.warn("Not following {key}: {reason}: {detail}", { ...about, reason, detail });
    }
    this.#options.onFollowed?.({ cronJob: about.key, apiVersion: about.apiVersion, notFollowed });
  }

  /** Returns whether a line that lasts has other words than before; `undefined` where it no longer holds. */
  #isNews({ metadata: { uid } }: CronJob, line: Lasting, words: string | undefined): boolean {
    const said = this.#said.get(uid);
    if (said?.get(line) === words) return false;
    if (words !== undefined) this.#said.getOrInsertComputed(uid, () => new Map()).set(line, words);
    else said!.delete(line);
    return true;
  }

  #about(cronJob: CronJob): { key: ObjectKey; apiVersion: string } {
    return { key: cronJobKey(cronJob), apiVersion: cronJob.flavour.apiVersion };
  }
}

function nameOf({ flavour, metadata: { namespace = "", name } }: CronJob): CronJobName {
  return { apiVersion: flavour.apiVersion, namespace, name };
}
