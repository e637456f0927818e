import type { RunEvent } from "../cronjob/reporter.ts";
import type { OutputLine } from "../kubelet/pod_worker.ts";
import type { Clock } from "../runtime/clock.ts";
import { formatTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";

/** What somebody at a workstation sees: runs and the output of their containers, as they happen. */
export interface WorkstationConsole {
  run(event: RunEvent): void;
  output(output: OutputLine): void;
}

/** For people: a line a run, and containers' output behind the name of their Pod. */
export function textConsole(clock: Clock, print: (line: string) => void): WorkstationConsole {
  return {
    run: (event) => print(`${timeOfDay(clock)} ${formatRun(event)}`),
    output: ({ pod, line }) => print(`${timeOfDay(clock)} ${pod.name} | ${line}`),
  };
}

/** For programs: runs are in the controllers' log already, so that only the output is added to it. */
export function logConsole(): WorkstationConsole {
  const logger = loggerFor("output");
  return {
    run: () => {},
    output: ({ pod, container, line }) =>
      logger.info("A container wrote a line", { key: `${pod.namespace}/${pod.name}`, container, line }),
  };
}

/** `succeeded  default/hello  hello-1767225600`, `skipped  default/busy  the run of 2026-01-01T00:00:00Z: JobAlreadyActive`. */
export function formatRun({ outcome, cronJob, jobName, scheduledTime, reason }: RunEvent): string {
  const slot = scheduledTime === undefined ? undefined : `the run of ${formatTime(scheduledTime)}`;
  const subject = outcome === "skipped" ? slot ?? jobName : jobName ?? slot;
  const what = `${outcome.padEnd(9)}  ${cronJob}  ${subject ?? ""}`.trimEnd();
  return reason === undefined ? what : `${what}: ${reason}`;
}

function timeOfDay(clock: Clock): string {
  return new Date(clock.now()).toTimeString().slice(0, 8);
}
