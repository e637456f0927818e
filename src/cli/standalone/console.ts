import type { FollowedEvent, RunEvent } from "../../cronjob/reporter.ts";
import type { OutputLine } from "../../kubelet/pod_worker.ts";
import type { Clock } from "../../runtime/clock.ts";
import { formatTime } from "../../schedule/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";

/** What somebody at a workstation sees: runs and the output of their containers, as they happen. */
export interface WorkstationConsole {
  run(event: RunEvent): void;
  followed(event: FollowedEvent): void;
  output(output: OutputLine): void;
}

/** For people: a line a run, and containers' output behind the name of their Pod. */
export function textConsole(clock: Clock, print: (line: string) => void): WorkstationConsole {
  return {
    run: (event) => print(`${timeOfDay(clock)} ${formatRun(event)}`),
    followed: (event) => print(`${timeOfDay(clock)} ${formatFollowed(event)}`),
    output: ({ pod, line }) => print(`${timeOfDay(clock)} ${pod.name} | ${line}`),
  };
}

/** For programs: what becomes of CronJobs and runs is in the controllers' log already, so that only the output is added to it. */
export function logConsole(): WorkstationConsole {
  const logger = loggerFor("output");
  return {
    run: () => {},
    followed: () => {},
    output: ({ pod, container, line }) =>
      logger.info("A container wrote a line", { key: `${pod.namespace}/${pod.name}`, container, line }),
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
export function formatFollowed({ cronJob, notFollowed }: FollowedEvent): string {
  if (notFollowed === undefined) return `${"followed".padEnd(9)}  ${cronJob}`;
  return `${"stopped".padEnd(9)}  ${cronJob}  ${notFollowed.reason}: ${notFollowed.message}`;
}

function timeOfDay(clock: Clock): string {
  return new Date(clock.now()).toTimeString().slice(0, 8);
}
