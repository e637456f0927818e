import type { RunNotification } from "../../../src/notifications/notification.ts";

/** A notification that a run failed. */
export function notification(more: Partial<RunNotification> = {}): RunNotification {
  return {
    kind: "failed",
    id: "run-failed-1",
    cronJob: { apiVersion: "batch/v1", namespace: "shop", name: "report", uid: "c", zone: "UTC" },
    run: {
      uid: "j",
      jobName: "report-1",
      outcome: "failed",
      endTime: Date.parse("2026-03-10T12:00:00Z"),
      scheduledTime: Date.parse("2026-03-10T11:59:00Z"),
      byHand: false,
      reason: "BackoffLimitExceeded",
      message: "exit 3",
    },
    failures: 1,
    since: Date.parse("2026-03-10T12:00:00Z"),
    failuresInARow: 1,
    jobNames: ["report-1"],
    ...more,
  };
}
