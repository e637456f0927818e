import { failureLine } from "../../cronjob/api/failure_line.ts";
import type { FileNews } from "../../applied_files/news.ts";
import type { FollowedEvent, RunEvent } from "../../cronjob/reporter.ts";
import type { CannotStart, OutputLine } from "../../kubelet/context.ts";
import type { Clock } from "../../base/clock.ts";
import { localTime } from "../../telemetry/local_time.ts";
import { journalPrefix, type LogFormat } from "../../telemetry/log_format.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { printable } from "../../telemetry/printable.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { fullTime } from "../../schedule/full_time.ts";

/** The beginning of a line, for events of a level. */
export type Stamp = (level: "info" | "warning") => string;

/** The output for a user at a workstation: runs and the output of their containers, as they happen. */
export type WorkstationConsole = ReturnType<typeof textConsole>;

/** For people: a line a run, and containers' output behind the name of their Pod. */
export function textConsole(stamp: Stamp, print: (line: string) => void) {
  const info = (outcome: string, rest: string) => print(`${stamp("info")}${outcome.padEnd(9)}  ${rest}`);
  return {
    run: (event: RunEvent) => print(`${stamp(event.outcome === "failed" ? "warning" : "info")}${formatRun(event)}`),
    followed: (event: FollowedEvent) =>
      print(`${stamp(event.notFollowed ? "warning" : "info")}${formatFollowed(event)}`),
    output: ({ pod, line }: OutputLine) => print(`${stamp("info")}${pod.name} | ${line}`),
    cannotStart: (trouble: CannotStart) => print(`${stamp("warning")}${formatCannotStart(trouble)}`),
    files: (news: FileNews) => print(`${stamp(news.kind === "refused" ? "warning" : "info")}${formatFileNews(news)}`),
    notified: (cronJob: ObjectKey) => info("notified", cronJob),
    notifiesLater: (cronJob: ObjectKey, at: EpochMs) =>
      info("waits", `${cronJob}  further failures are reported at ${localTime(at)}: see --hook-interval`),
  };
}

/** Lines with their time, or for journald, which knows the time, with their level. */
export function stampFor(format: LogFormat, clock: Clock): Stamp {
  return format === "journal" ? journalPrefix : () => `${localTime(clock.now())} `;
}

const FILE_NEWS = {
  applied: "Applied {detail}",
  deleted: "Deleted {detail}",
  note: "Noted of a file: {detail}",
  refused: "Cannot apply all of the files: {detail}",
} as const;

/** For programs: what becomes of CronJobs and runs is in the controllers' log already, so that only what Pods do is added to it. */
export function logConsole(): WorkstationConsole {
  const logger = loggerFor("output");
  const fileLogger = loggerFor("files");
  return {
    run: () => {},
    followed: () => {},
    output: ({ pod, container, line }) =>
      logger.info("A container wrote a line", { key: `${pod.namespace}/${pod.name}`, container, line }),
    cannotStart: ({ pod, reason, message }) =>
      logger.warn("Cannot start a container of {key}: {reason}: {detail}", {
        key: `${pod.namespace}/${pod.name}`,
        reason,
        detail: message,
      }),
    files: ({ kind, detail }) =>
      fileLogger[kind === "refused" ? "warn" : "info"](FILE_NEWS[kind], { detail: printable(detail) }),
    notified: (key) => logger.info("The command that reports {key} has run", { key }),
    notifiesLater: (key, at) =>
      logger.info("Further failures of {key} are reported at {requeueAt}: see --hook-interval", {
        key,
        requeueAt: formatTime(at),
      }),
  };
}

/**
 * `succeeded  default/hello  hello-1767225600`, `waits      default/busy  the run of Thu 2026-01-01 01:00 Europe/Berlin: for busy-1767225600: starts when it ends`,
 * `failed     default/hello  hello-abcde (by hand): exit 3: no such table`.
 */
export function formatRun(event: RunEvent): string {
  const { outcome, byHand, cronJob, jobName, scheduledTime, timeZone, reason, message } = event;
  const slot = scheduledTime === undefined ? undefined : `the run of ${fullTime(scheduledTime, timeZone)}`;
  const subject = outcome === "skipped" || outcome === "waits" ? slot ?? jobName : jobName ?? slot;
  const asked = byHand ? subject === undefined ? "a run by hand" : " (by hand)" : "";
  const what = `${outcome.padEnd(9)}  ${cronJob}  ${subject ?? ""}${asked}`.trimEnd();
  const why = outcome === "failed" ? [failureLine(event)] : [reason, message].filter((text) => text !== undefined);
  return [what, ...why].join(": ");
}

/** `stopped    default/report  UnknownTimeZone: …`, `followed   default/report`. */
function formatFollowed({ cronJob, notFollowed }: FollowedEvent): string {
  if (notFollowed === undefined) return `${"followed".padEnd(9)}  ${cronJob}`;
  return `${"stopped".padEnd(9)}  ${cronJob}  ${notFollowed.reason}: ${notFollowed.message}`;
}

/** `stuck      default/hello-abcde  Failed: Error: secret "token" not found`. */
export function formatCannotStart({ pod, reason, message }: CannotStart): string {
  return `${"stuck".padEnd(9)}  ${pod.namespace}/${pod.name}  ${reason}: ${message}`;
}

/** `applied    CronJob default/report  jobs/report.yaml:1`, `refused    jobs/report.yaml:3:5: …`. */
export function formatFileNews({ kind, detail }: FileNews): string {
  return `${kind.padEnd(9)}  ${printable(detail)}`;
}
