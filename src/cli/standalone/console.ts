import type { FollowedEvent, RunEvent } from "../../cronjob/reporter.ts";
import type { CannotStart, OutputLine } from "../../kubelet/pod_context.ts";
import type { Clock } from "../../runtime/clock.ts";
import { formatTime } from "../../schedule/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";

/** What somebody at a workstation sees: runs and the output of their containers, as they happen. */
export interface WorkstationConsole {
  run(event: RunEvent): void;
  followed(event: FollowedEvent): void;
  output(output: OutputLine): void;
  cannotStart(trouble: CannotStart): void;
}

/** For people: a line a run, and containers' output behind the name of their Pod. */
export function textConsole(clock: Clock, print: (line: string) => void): WorkstationConsole {
  return {
    run: (event) => print(`${timeOfDay(clock)} ${formatRun(event)}`),
    followed: (event) => print(`${timeOfDay(clock)} ${formatFollowed(event)}`),
    output: ({ pod, line }) => print(`${timeOfDay(clock)} ${pod.name} | ${line}`),
    cannotStart: (trouble) => print(`${timeOfDay(clock)} ${formatCannotStart(trouble)}`),
  };
}

/** For programs: what becomes of CronJobs and runs is in the controllers' log already, so that only what Pods do is added to it. */
export function logConsole(): WorkstationConsole {
  const logger = loggerFor("output");
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
  };
}

/**
 * `succeeded  default/hello  hello-1767225600`, `skipped  default/busy  the run of 2026-01-01T00:00:00Z: JobAlreadyActive`,
 * `failed     default/hello  hello-abcde (by hand): BackoffLimitExceeded: … exited with code 3: no such table`.
 */
export function formatRun({ outcome, byHand, cronJob, jobName, scheduledTime, reason, message }: RunEvent): string {
  const slot = scheduledTime === undefined ? undefined : `the run of ${formatTime(scheduledTime)}`;
  const subject = outcome === "skipped" ? slot ?? jobName : jobName ?? slot;
  const asked = byHand ? subject === undefined ? "a run by hand" : " (by hand)" : "";
  const what = `${outcome.padEnd(9)}  ${cronJob}  ${subject ?? ""}${asked}`.trimEnd();
  return [what, reason, message].filter((text) => text !== undefined).join(": ");
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

function timeOfDay(clock: Clock): string {
  return new Date(clock.now()).toTimeString().slice(0, 8);
}
