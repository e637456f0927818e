import type { EventFacts } from "../../../src/view/event_facts.ts";
import type { PodFacts } from "../../../src/view/pod_facts.ts";
import { at } from "../../cronjob/support/world.ts";

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
