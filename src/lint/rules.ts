/** Errors keep a CronJob from being accepted or from running, warnings name surprises, hints name facts to know. */
export const SEVERITIES = ["error", "warning", "hint"] as const;
export type Severity = typeof SEVERITIES[number];

/** Makes a rule; `finds` is a title of its findings. */
const rule = (severity: Severity) => (finds: string, remedy: string) => ({ severity, finds, remedy });
const [error, warning, hint] = [rule("error"), rule("warning"), rule("hint")];

/** Every rule by its id, which stays the same: `--disable`, comments and code scanning name it. */
export const RULES = {
  "manifest": error(
    "A file, or a document of it, that is no Kubernetes object",
    "Correct the YAML or JSON. A schedule that begins with * or @ needs quotes. Of a Helm chart, check what it " +
      "renders to: `helm template CHART | cronjob-controller lint -`.",
  ),
  "api-version": error("An apiVersion that has no CronJob", "Use batch/v1, or one of this controller's APIs."),
  "type": error(
    "A value of the wrong type",
    "Write what the message names. Numbers and true or false become texts in quotes.",
  ),
  "unknown-field": error("A field that the API does not have", "Correct its name or its place: kubectl refuses it."),
  "invalid": error("A value that the API server refuses", "Write what the message names."),
  "job-template": error(
    "A Job template that the definition takes, and that no Job can be made from",
    "Correct it: each run's Job would be refused.",
  ),
  "unknown-template-field": warning(
    "A field of a Job template that Jobs do not have",
    "Correct its name or its place: each Job would be made without it.",
  ),
  "container-runtime": error(
    "A Pod that its container runtime on a workstation refuses",
    "Write what the message names. On a cluster the rule judges nothing: it is for Pod templates whose " +
      "annotation container-runtime chooses one, and for all with `--container-runtime`.",
  ),
  "container-runtime-ignores": hint(
    "A field that has no effect with its container runtime on a workstation",
    "Count on it only on a cluster. As `container-runtime`, the rule judges nothing there.",
  ),
  "schedule": error(
    "A schedule that cannot be read",
    "Write five fields such as `5 2 * * *`, or a descriptor such as @daily.",
  ),
  "time-zone": error("A time zone that is unknown", "Write a name of the IANA database such as Europe/Berlin."),
  "exclude": error("An exclusion that cannot be read", "Write dates, a span, or a window: docs/how-to/exclusions.md."),
  "annotation": error("An annotation of this controller whose value cannot be read", "Write what the message names."),
  "api-warning": warning("What the API server takes with a warning", "Follow the server's advice."),
  "unknown-annotation": warning(
    "An annotation that is nearly one of this controller's, or bears its prefix and is none",
    "Correct its name: as it stands it has no effect.",
  ),
  "misplaced-annotation": warning(
    "An annotation of this controller where it has no effect",
    "Move it to the annotations of a batch/v1 CronJob, or write the field of the CRD's spec; container-runtime " +
      "belongs to those of the Pod template.",
  ),
  "never-runs": warning("A schedule that no date matches", "Choose a day that its month has."),
  "ended": warning(
    "An endTime that lies in the past, or before startTime",
    "Move endTime, or delete the CronJob: no scheduled run starts any more.",
  ),
  "everything-excluded": warning("Exclusions that leave no time to run", "Exclude less."),
  "uneven-step": warning(
    "A step such as */40 minutes, */7 hours or */14 days, which begins anew with the hour, the day or the month",
    "Use a step that divides the hour or the day, or `@every 40m` for a fixed interval.",
  ),
  "every-minute": warning(
    "A schedule such as `* 2 * * *`, which runs at every minute of an hour",
    "Write the minute: `0 2 * * *` runs once.",
  ),
  "short-month": warning(
    "A day such as 31 that some of its months lack",
    "Choose a day up to 28, or L for the last day in the CRDs and in the annotation schedule.",
  ),
  "day-or-weekday": warning(
    "A schedule that names days of the month and weekdays",
    "Write * for one of them. To need both, let the Job check the date.",
  ),
  "clock-change-gap": warning(
    "Runs at local times that a clock change skips",
    "Choose another time, UTC, or clockChangePolicy of the CRDs.",
  ),
  "clock-change-overlap": warning(
    "Runs at local times that a clock change repeats",
    "Choose another time, UTC, or clockChangePolicy of the CRDs.",
  ),
  "short-deadline": warning(
    "A startingDeadlineSeconds below 10 in batch/v1",
    "Use 10 or more: kube-controller-manager may look later than that, and start nothing.",
  ),
  "allow-without-deadline": hint(
    "Runs that start each hour or more often, and may pile up",
    "Set startingDeadlineSeconds, activeDeadlineSeconds of the Job, or another concurrencyPolicy.",
  ),
  "disruption": hint(
    "A Job that may run for an hour or more, with no answer to a node that is drained or scaled away",
    "Have podFailurePolicy ignore the Pod condition DisruptionTarget, or annotate the Pod template with " +
      '`karpenter.sh/do-not-disrupt: "true"` or `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`.',
  ),
  "expectation": warning(
    "An expectation that no run can meet, or that healthy runs do not meet",
    "Give the expectation more time, or change what the message compares it with.",
  ),
  "no-history-limit": warning(
    "Finished Jobs that are kept for ever",
    "Set successfulJobsHistoryLimit and failedJobsHistoryLimit.",
  ),
  "duplicate": warning("One CronJob in two places", "Delete or rename one: the one that is applied last wins."),
  "shared-name": warning(
    "CronJobs of two APIs with one name",
    "Rename one: their Jobs have the same names, so each time runs for one of them only.",
  ),
  "top-of-the-hour": warning(
    "Many CronJobs that start at the top of the hour",
    "Choose other minutes, H for the minute, or spreadSeconds of the CRDs.",
  ),
  "unknown-rule": warning("A comment that disables a rule that there is not", "Name a rule of this page."),
  "no-time-zone": hint(
    "A schedule of a time of day without a time zone",
    "Set timeZone, to UTC if that is meant: without one it is UTC.",
  ),
} as const;

export type RuleId = keyof typeof RULES;

/** Returns whether there is a rule of this id. */
export function isRule(id: string): id is RuleId {
  return Object.hasOwn(RULES, id);
}
