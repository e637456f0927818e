import { BATCH, type SeededCronJob } from "./seeded_cluster.ts";

/** The one whose last run cannot start, so that the next was skipped. */
export const STUCK: SeededCronJob = {
  name: "nightly-report",
  spec: { schedule: "0 2 * * *", concurrencyPolicy: "Forbid", timeZone: "Europe/Berlin" },
  jobs: [
    { at: "03-08 01:00", ended: "03-08 01:03" },
    { at: "03-09 01:00", waiting: ["ImagePullBackOff", 'Back-off pulling image "report:1.9"'] },
  ],
};

/** The one whose last run failed. */
export const FAILED: SeededCronJob = {
  name: "sync",
  api: BATCH,
  spec: { schedule: "*/30 * * * *" },
  jobs: [{ at: "09:30", ended: "09:31" }, { at: "10:00", ended: "10:01", failed: true, exitCode: 3 }],
};
