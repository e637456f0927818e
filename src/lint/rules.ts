/** Errors keep a CronJob from being accepted or from running, warnings name surprises, hints name facts to know. */
export const SEVERITIES = ["error", "warning", "hint"] as const;
export type Severity = typeof SEVERITIES[number];

/** A rule of `lint`. */
interface Rule {
  readonly severity: Severity;
  /** Its findings, as a title. */
  readonly finds: string;
  /** The remedy. */
  readonly remedy: string;
}

/** Every rule by its id, which stays the same: `--disable`, comments and code scanning name it. */
export const RULES = {
  "manifest": {
    severity: "error",
    finds: "A file, or a document of it, that is no Kubernetes object",
    remedy:
      "Correct the YAML or JSON. A schedule that begins with * or @ needs quotes. Of a Helm chart, check what it " +
      "renders to: `helm template CHART | cronjob-controller lint -`.",
  },
  "api-version": {
    severity: "error",
    finds: "An apiVersion that has no CronJob",
    remedy: "Use batch/v1, or one of this controller's APIs.",
  },
  "type": {
    severity: "error",
    finds: "A value of the wrong type",
    remedy: "Write what the message names. Numbers and true or false become texts in quotes.",
  },
  "unknown-field": {
    severity: "error",
    finds: "A field that the API does not have",
    remedy: "Correct its name or its place: kubectl refuses it.",
  },
  "invalid": {
    severity: "error",
    finds: "A value that the API server refuses",
    remedy: "Write what the message names.",
  },
  "job-template": {
    severity: "error",
    finds: "A Job template that the definition takes, and that no Job can be made from",
    remedy: "Correct it: each run's Job would be refused.",
  },
  "unknown-template-field": {
    severity: "warning",
    finds: "A field of a Job template that Jobs do not have",
    remedy: "Correct its name or its place: each Job would be made without it.",
  },
  "container-runtime": {
    severity: "error",
    finds: "A Pod that its container runtime on a workstation refuses",
    remedy: "Write what the message names. On a cluster the rule judges nothing: it is for Pod templates whose " +
      "annotation container-runtime chooses one, and for all with `--container-runtime`.",
  },
  "container-runtime-ignores": {
    severity: "hint",
    finds: "A field that has no effect with its container runtime on a workstation",
    remedy: "Count on it only on a cluster. As `container-runtime`, the rule judges nothing there.",
  },
  "schedule": {
    severity: "error",
    finds: "A schedule that cannot be read",
    remedy: "Write five fields such as `5 2 * * *`, or a descriptor such as @daily.",
  },
  "time-zone": {
    severity: "error",
    finds: "A time zone that is unknown",
    remedy: "Write a name of the IANA database such as Europe/Berlin.",
  },
  "exclude": {
    severity: "error",
    finds: "An exclusion that cannot be read",
    remedy: "Write dates, a span, or a window: docs/how-to/exclusions.md.",
  },
  "annotation": {
    severity: "error",
    finds: "An annotation of this controller whose value cannot be read",
    remedy: "Write what the message names.",
  },
  "api-warning": {
    severity: "warning",
    finds: "What the API server takes with a warning",
    remedy: "Follow the server's advice.",
  },
  "unknown-annotation": {
    severity: "warning",
    finds: "An annotation that is nearly one of this controller's, or bears its prefix and is none",
    remedy: "Correct its name: as it stands it has no effect.",
  },
  "misplaced-annotation": {
    severity: "warning",
    finds: "An annotation of this controller where it has no effect",
    remedy:
      "Move it to the annotations of a batch/v1 CronJob, or write the field of the CRD's spec; container-runtime " +
      "belongs to those of the Pod template.",
  },
  "never-runs": {
    severity: "warning",
    finds: "A schedule that no date matches",
    remedy: "Choose a day that its month has.",
  },
  "ended": {
    severity: "warning",
    finds: "An endTime that lies in the past, or before startTime",
    remedy: "Move endTime, or delete the CronJob: no scheduled run starts any more.",
  },
  "everything-excluded": {
    severity: "warning",
    finds: "Exclusions that leave no time to run",
    remedy: "Exclude less.",
  },
  "uneven-step": {
    severity: "warning",
    finds: "A step such as */40 minutes, */7 hours or */14 days, which begins anew with the hour, the day or the month",
    remedy: "Use a step that divides the hour or the day, or `@every 40m` for a fixed interval.",
  },
  "every-minute": {
    severity: "warning",
    finds: "A schedule such as `* 2 * * *`, which runs at every minute of an hour",
    remedy: "Write the minute: `0 2 * * *` runs once.",
  },
  "short-month": {
    severity: "warning",
    finds: "A day such as 31 that some of its months lack",
    remedy: "Choose a day up to 28, or L for the last day in the CRDs and in the annotation schedule.",
  },
  "day-or-weekday": {
    severity: "warning",
    finds: "A schedule that names days of the month and weekdays",
    remedy: "Write * for one of them. To need both, let the Job check the date.",
  },
  "clock-change-gap": {
    severity: "warning",
    finds: "Runs at local times that a clock change skips",
    remedy: "Choose another time, UTC, or clockChangePolicy of the CRDs.",
  },
  "clock-change-overlap": {
    severity: "warning",
    finds: "Runs at local times that a clock change repeats",
    remedy: "Choose another time, UTC, or clockChangePolicy of the CRDs.",
  },
  "short-deadline": {
    severity: "warning",
    finds: "A startingDeadlineSeconds below 10 in batch/v1",
    remedy: "Use 10 or more: kube-controller-manager may look later than that, and start nothing.",
  },
  "allow-without-deadline": {
    severity: "hint",
    finds: "Runs that start each hour or more often, and may pile up",
    remedy: "Set startingDeadlineSeconds, activeDeadlineSeconds of the Job, or another concurrencyPolicy.",
  },
  "disruption": {
    severity: "hint",
    finds: "A Job that may run for an hour or more, with no answer to a node that is drained or scaled away",
    remedy: "Have podFailurePolicy ignore the Pod condition DisruptionTarget, or annotate the Pod template with " +
      '`karpenter.sh/do-not-disrupt: "true"` or `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`.',
  },
  "expectation": {
    severity: "warning",
    finds: "An expectation that no run can meet, or that healthy runs do not meet",
    remedy: "Give the expectation more time, or change what the message compares it with.",
  },
  "no-history-limit": {
    severity: "warning",
    finds: "Finished Jobs that are kept for ever",
    remedy: "Set successfulJobsHistoryLimit and failedJobsHistoryLimit.",
  },
  "duplicate": {
    severity: "warning",
    finds: "One CronJob in two places",
    remedy: "Delete or rename one: the one that is applied last wins.",
  },
  "shared-name": {
    severity: "warning",
    finds: "CronJobs of two APIs with one name",
    remedy: "Rename one: their Jobs have the same names, so each time runs for one of them only.",
  },
  "top-of-the-hour": {
    severity: "warning",
    finds: "Many CronJobs that start at the top of the hour",
    remedy: "Choose other minutes, H for the minute, or spreadSeconds of the CRDs.",
  },
  "unknown-rule": {
    severity: "warning",
    finds: "A comment that disables a rule that there is not",
    remedy: "Name a rule of this page.",
  },
  "no-time-zone": {
    severity: "hint",
    finds: "A schedule of a time of day without a time zone",
    remedy: "Set timeZone, to UTC if that is meant: without one it is UTC.",
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof RULES;

/** Returns whether there is a rule of this id. */
export function isRule(id: string): id is RuleId {
  return Object.hasOwn(RULES, id);
}
