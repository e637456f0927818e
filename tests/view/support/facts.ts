import type { EventFacts } from "../../../src/view/event_facts.ts";
import type { RunView } from "../../../src/view/cron_job_view.ts";
import type { KeptRun } from "../../../src/view/kept_runs.ts";
import { runWithoutJob } from "../../../src/view/runs.ts";
import type { PodFacts } from "../../../src/view/pod_facts.ts";
import { at, clockOf } from "../../cronjob/support/world.ts";

/** Returns a text with clock times: `10:00` for `Tue 2026-03-10 10:00 UTC`, and `report@10:00` for the Job of that time. */
export function inShort(text: string): string {
  return text.replaceAll(/\bTue 2026-03-10 (\d\d:\d\d(?::\d\d)?) UTC/g, "$1")
    .replaceAll(/\breport-(1773\d{6})\b/g, (_, seconds) => `report@${clockOf(Number(seconds) * 1_000)}`);
}

/** Returns a run of the CronJob `report` of `batch/v1` that is remembered: it took a minute, unless `about` says otherwise. */
export function keptRun(clock: string, about: Partial<RunView> = {}): KeptRun {
  const time = at(clock);
  const took = { startedAt: time, endedAt: time + 60_000 };
  const run = { ...runWithoutJob(time, "Succeeded", undefined), job: `report-${clock}`, ...took, ...about };
  return { apiVersion: "batch/v1", namespace: "default", name: "report", run, logs: [] };
}

/** A Pod of the Job of this name that waits. */
export function waitingPod(job: string, reason: string, message: string): PodFacts {
  return {
    name: `${job}-x`,
    jobUid: `uid of ${job}`,
    createdAt: at("09:00"),
    hasStarted: false,
    isOver: false,
    waiting: { reason, message },
    failure: undefined,
  };
}

/** A Pod of the Job of this name whose container failed. */
export function failedPod(job: string, exitCode: number, reason = "Error", message?: string): PodFacts {
  return {
    ...waitingPod(job, "", ""),
    hasStarted: true,
    isOver: true,
    waiting: undefined,
    failure: { container: "main", isInit: false, exitCode, reason, message, endedAt: at("09:01") },
  };
}

/** An Event about the CronJob, or about the Job of this name. */
export function event(reason: string, message: string, clock: string, job?: string): EventFacts {
  const time = at(clock);
  return {
    name: `report.${time}`,
    regardingUid: job === undefined ? "cronjob-uid" : `uid of ${job}`,
    isWarning: true,
    reason,
    message,
    count: 1,
    firstAt: time,
    lastAt: time,
  };
}
