import { BATCH, SeededCluster, type SeededCronJob, time } from "../../cli/support/seeded_cluster.ts";
import type { Action, State } from "../../../src/view/cron_job_view.ts";

const PREFIX = "cronjob-controller.dev";
const FORBID = { concurrencyPolicy: "Forbid" } as const;
const ACTIVE = { at: "09:00" };
const FAILED = { at: "10:00", ended: "10:01", failed: true, exitCode: 3 };
const SUSPENDED = { suspend: true } as const;
const DUE = { lastScheduleTime: time("09:00") };
const SUCCESS = { at: "10:00", ended: "10:02" };
const QUOTA = "Error creating: pods is forbidden: exceeded quota";

/** A CronJob, its state, words of its cause, and its remedies in their order. */
interface Shown extends Omit<SeededCronJob, "name"> {
  readonly is: State;
  readonly says: string;
  readonly remedies: readonly Action["do"][];
}

const annotated = (annotations: Record<string, string>, more: Partial<SeededCronJob> = {}) => ({
  api: BATCH,
  annotations: Object.fromEntries(Object.entries(annotations).map(([name, text]) => [`${PREFIX}/${name}`, text])),
  ...more,
});
const held = (spec: SeededCronJob["spec"], more: Partial<SeededCronJob> = {}) => ({ spec, jobs: [ACTIVE], ...more });
const stuck = (at: string, reason: string, message: string) => ({
  jobs: [{ at, waiting: [reason, message] as [string, string] }],
});
const warned = (message: string) => ({
  status: DUE,
  warning: ["FailedCreate", message, "10:10"] as [string, string, string],
});

const invalid = (says: string) => ({ is: "Invalid", says, remedies: ["CorrectSpec"] }) as const;
const hung = { is: "Blocked", says: "starts when it ends", remedies: ["Wait", "DeleteJob"] } as const;
const failing = (says: string) => ({ is: "Failing", says, remedies: ["ReadLogs", "RunNow"] }) as const;
const notCreated = (says: string, remedy: Action["do"]) => ({ is: "Overdue", says, remedies: [remedy] }) as const;
const missed = { is: "Missed", says: "was not started inside its deadline", remedies: ["RunNow"] } as const;
const paused = (remedy: Action["do"], says = "migration") => ({ is: "Paused", says, remedies: [remedy] }) as const;
const suspended = (says: string) => ({ is: "Suspended", says, remedies: ["Unsuspend"] }) as const;
const halted = { is: "Stopped", says: "1 runs failed in a row", remedies: ["RunNow", "ResumeHalted"] } as const;
const noPod = { is: "Pending", says: "exceeded quota", remedies: ["DeleteJob"] } as const;
const unmet = (is: State, ...remedies: Action["do"][]) => ({ is, says: "", remedies });

/** CronJobs of every state, by their names. */
export const EVERY_STATE: Readonly<Record<string, Shown>> = {
  "rival": {
    status: DUE,
    warning: ["MultipleControllers", "another controller runs it too", "10:10"],
    is: "Contested",
    says: "another controller runs it too",
    remedies: ["LookAtController"],
  },
  "bad-minute": { spec: { schedule: "61 * * * *" }, ...invalid('minute "61": must be 0-59') },
  "bad-zone": { spec: { timeZone: "Mars/Olympus" }, ...invalid("must be a name of the tz database") },
  "never": { spec: { schedule: "0 0 30 2 *" }, ...invalid("no year has 30 February") },
  "bad-exclude": { ...annotated({ exclude: "{not json" }), ...invalid("annotation cronjob-controller.dev/exclude") },
  "bad-managed": {
    ...annotated({ managed: "True" }, { spec: SUSPENDED }),
    is: "Invalid",
    says: '"True" is ignored',
    remedies: ["CorrectManaged"],
  },
  "too-many-missed": {
    spec: { schedule: "* * * * *" },
    status: { lastScheduleTime: time("03-01 09:00") },
    is: "Stopped",
    says: "too many missed start times",
    remedies: ["SetStartingDeadline"],
  },
  "hung": { ...held(FORBID), ...hung },
  "hung-batch": { ...held(FORBID, { api: BATCH }), ...hung },
  "hung-at-most-one": { ...held({ maxConcurrentRuns: 1 }), ...hung },
  "queue": { ...held({ concurrencyPolicy: "Queue" }), ...hung },
  "no-image": {
    spec: FORBID,
    ...stuck("09:00", "ImagePullBackOff", "Back-off pulling image"),
    is: "Blocked",
    says: "ImagePullBackOff",
    remedies: ["CorrectImage", "DeleteJob", "SetPendingTimeout"],
  },
  "no-secret": {
    api: BATCH,
    spec: FORBID,
    ...stuck("09:00", "CreateContainerConfigError", 'secret "db" not found'),
    is: "Blocked",
    says: 'secret "db" not found',
    remedies: ["CreateMissing", "DeleteJob"],
  },
  "crashes": {
    spec: FORBID,
    ...stuck("09:00", "CrashLoopBackOff", "back-off 5m0s restarting"),
    is: "Blocked",
    says: "CrashLoopBackOff",
    remedies: ["ReadLogs", "DeleteJob"],
  },
  "pending-timeout": {
    spec: { ...FORBID, pendingTimeoutSeconds: 86_400 },
    ...stuck("09:00", "InvalidImageName", "x:y:z"),
    is: "Blocked",
    says: "InvalidImageName",
    remedies: ["CorrectImage", "DeleteJob"],
  },
  "pending-image": {
    ...stuck("10:00", "ErrImagePull", "not found"),
    is: "Pending",
    says: "ErrImagePull",
    remedies: ["CorrectImage", "DeleteJob"],
  },
  "pending-secret": {
    api: BATCH,
    ...stuck("10:00", "CreateContainerConfigError", 'secret "db" not found'),
    is: "Pending",
    says: 'secret "db" not found',
    remedies: ["CreateMissing", "DeleteJob"],
  },
  "pending-volume": {
    ...stuck("10:00", "ContainerCreating", 'configmap "conf" not found'),
    is: "Pending",
    says: 'configmap "conf" not found',
    remedies: ["CreateMissing", "DeleteJob"],
  },
  "exit-3": { jobs: [FAILED], ...failing("exit 3") },
  "exit-3-batch": { api: BATCH, jobs: [FAILED], ...failing("exit 3") },
  "killed": { jobs: [{ ...FAILED, exitCode: 137 }], ...failing("killed by SIGKILL") },
  "fails-again": { jobs: [{ ...FAILED, at: "09:00", ended: "09:01" }, FAILED], ...failing("exit 3") },
  "not-started": { status: DUE, ...notCreated("was not started", "LookAtController") },
  "quota": { ...warned("exceeded quota: jobs"), ...notCreated("exceeded quota", "LetJobBeCreated") },
  "bad-template": {
    api: BATCH,
    ...warned("Job.batch is invalid: spec.template"),
    ...notCreated("spec.template", "CorrectSpec"),
  },
  "missed": { spec: { startingDeadlineSeconds: 60 }, status: DUE, ...missed },
  "missed-batch": { api: BATCH, spec: { startingDeadlineSeconds: 60 }, status: DUE, ...missed },
  "paused-in-spec": { spec: { pause: { reason: "migration" } }, ...paused("EndPauseInSpec") },
  "paused-until": { spec: { pause: { until: time("03-13 08:00"), reason: "migration" } }, ...paused("EndPauseInSpec") },
  "paused-batch": { ...annotated({ pause: '{"reason":"migration"}' }), ...paused("Resume") },
  "bad-pause": { ...annotated({ pause: "{" }), ...paused("CorrectPause", "annotation cronjob-controller.dev/pause") },
  "suspended": { spec: SUSPENDED, ...suspended("spec.suspend is true") },
  "suspended-batch": { api: BATCH, spec: SUSPENDED, ...suspended("spec.suspend is true") },
  "suspended-by-annotation": {
    ...annotated({ managed: "true", suspend: "true" }, { spec: SUSPENDED }),
    ...suspended("cronjob-controller.dev/suspend"),
  },
  "adopted-but-not-suspended": {
    ...annotated({ managed: "true" }, { jobs: [SUCCESS] }),
    is: "Contested",
    says: "kube-controller-manager runs this CronJob",
    remedies: ["SuspendInSpec", "Release"],
  },
  "halted": { spec: { pauseAfterFailures: 1 }, jobs: [FAILED], ...halted },
  "halted-batch": { ...annotated({ "pause-after-failures": "1" }, { jobs: [FAILED] }), ...halted },
  "no-pod": { spec: { schedule: "18 * * * *" }, jobs: [{ at: "10:18", refused: QUOTA }], ...noPod },
  "no-other-pod": { spec: { schedule: "18 * * * *" }, jobs: [{ at: "10:18", exitCode: 3, refused: QUOTA }], ...noPod },
  "late": {
    spec: { startingDeadlineSeconds: 60, expect: { startWithinSeconds: 60 } },
    status: DUE,
    ...unmet("Late"),
  },
  "slow": { spec: { expect: { finishBy: "10:10" } }, jobs: [{ at: "10:00" }], ...unmet("Slow", "ReadLogs") },
  "replaced": {
    api: BATCH,
    spec: { concurrencyPolicy: "Replace" },
    jobs: [{ at: "10:00" }],
    ...unmet("Slow", "ReadLogs"),
  },
  "stale": { spec: { expect: { succeededWithinSeconds: 600 } }, jobs: [SUCCESS], ...unmet("Stale", "RunNow") },
  "suspicious": {
    spec: { expect: { minimumDurationSeconds: 300 } },
    jobs: [SUCCESS],
    ...unmet("Suspicious", "ReadLogs", "RunNow"),
  },
  "running": { api: BATCH, jobs: [{ at: "10:00" }], ...unmet("Running") },
  "waiting": { jobs: [SUCCESS], ...unmet("Waiting") },
  "ended": { spec: { endTime: time("10:05") }, jobs: [SUCCESS], ...unmet("Ended") },
};

/** A cluster with CronJobs of every state. */
export async function clusterOfEveryState(): Promise<SeededCluster> {
  return await SeededCluster.start("10:20", Object.entries(EVERY_STATE).map(([name, shown]) => ({ name, ...shown })));
}
