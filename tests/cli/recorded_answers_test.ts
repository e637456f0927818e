import { assertEquals } from "@std/assert";
import { findNames } from "../../src/cli/completion/names.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { insteadOf, recorded, RecordedServer, type Scene } from "./support/recorded_answers.ts";
import {
  ACTIVE,
  COMPLETE,
  COMPLETE_POD,
  CREATE_JOB,
  FAILED,
  FAILED_POD,
  HALTED,
  holdTo,
  PATCH,
  PATCHED,
  REPORT,
  type Row,
  SUSPENDED,
} from "./support/recorded_rows.ts";

const LOG = `GET /api/v1/namespaces/team-a/pods/${COMPLETE_POD.metadata.name}/log`;

const READING: readonly Row[] = [
  { sentence: "an empty list has no CronJobs", line: "status", stdout: "There are no CronJobs" },
  {
    sentence: "the items of a list lack kind and apiVersion",
    answers: [recorded("cronjob-list", 3)],
    line: "status",
    stdout: `
NAME  BY                       STATE    SINCE  NEXT            WHY
a     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?
b     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?`
      .slice(1),
  },
  {
    sentence: "a list of all namespaces names them",
    answers: [recorded("cronjob-list", 4)],
    line: "status -A",
    stdout: `
NAMESPACE  NAME  BY                       STATE    SINCE  NEXT            WHY
team-a     a     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?
team-a     b     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?`
      .slice(1),
  },
  {
    sentence: "a suspended CronJob is shown to be so",
    objects: [SUSPENDED],
    line: "status report",
    stdout: `
NAME    BY                       STATE      WHY
report  kube-controller-manager  Suspended  spec.suspend is true`.slice(1),
  },
  {
    sentence: "a run that completed is well",
    objects: [REPORT, COMPLETE],
    line: "status report",
    stdout: `
NAME    BY                       STATE    LAST RUNS  LAST OK  NEXT
report  kube-controller-manager  Waiting  ok         15m      04:00 UTC (40m)`.slice(1),
  },
  {
    sentence: "a run that failed is shown with its reason",
    objects: [REPORT, FAILED],
    line: "status report",
    stdout: `
NAME    BY                       STATE    SINCE  LAST RUNS  LAST OK  NEXT             WHY
report  kube-controller-manager  Failing  15m    FAIL       19m      04:00 UTC (40m)  its Pods failed (at least 1 in a row)`
      .slice(1),
  },
  {
    sentence: "a run that has no Pod is pending",
    objects: [REPORT, ACTIVE],
    line: "status report",
    stdout: `
NAME    BY                       STATE    SINCE  LAST RUNS  LAST OK  NEXT             WHY
report  kube-controller-manager  Pending  16m    pend       19m      04:00 UTC (40m)  it has no Pod`
      .slice(1),
  },
  {
    sentence: "a run whose Job is suspended is pending",
    objects: [REPORT, HALTED],
    line: "status report",
    stdout: `
NAME    BY                       STATE    SINCE  LAST RUNS  LAST OK  NEXT             WHY
report  kube-controller-manager  Pending  20m    pend       19m      04:00 UTC (40m)  the Job is suspended: its spec.suspend is true`
      .slice(1),
  },
  ...["status", "explain", "history"].map((command): Row => ({
    sentence: `${command} of a CronJob that is not there`,
    line: `${command} absent`,
    refusal:
      "There is no CronJob absent in namespace team-a: name another one with --namespace; status --all-namespaces shows all",
  })),

  {
    sentence: "a run that completed is explained",
    objects: [REPORT, COMPLETE],
    line: "explain report",
    shows: [
      "report ran at Fri 2026-01-02 03:00 UTC: succeeded after 5m.",
      "Since   last success Fri 2026-01-02 03:05 UTC (15m ago)",
    ],
  },
  {
    sentence: "a run that failed is explained with the exit code of its Pod",
    objects: [REPORT, FAILED, FAILED_POD],
    line: "explain report",
    stdout: `
report ran at Fri 2026-01-02 03:00 UTC: failed after 5m.
Why     report-29455380: exit 3
Checks  ok    0 * * * * names that time in UTC, as no timeZone is set; no clock change near it
        ?     not suspended, not paused now
        ok    inside startTime and endTime; when the schedule was written is not known
        -     concurrencyPolicy Allow: any number may be active
        -     startingDeadlineSeconds: none set
        ok    Job report-29455380
By      kube-controller-manager runs it: not adopted
Since   1 run failed; last success Fri 2026-01-02 03:01 UTC (19m ago)
Do      kubectl logs job/report-29455380 -n team-a
        cronjob-controller trigger report -n team-a
Next    Fri 2026-01-02 04:00 UTC, in 40m`.slice(1),
  },
  {
    sentence: "a run whose Job is suspended is explained",
    objects: [REPORT, HALTED],
    line: "explain report",
    shows: [
      "report was started at Fri 2026-01-02 03:00 UTC: report-29455380 does not run yet.",
      "Why     the Job is suspended: its spec.suspend is true",
      `Do      kubectl patch job report-29455380 -n team-a --type merge -p '{"spec":{"suspend":false}}'`,
    ],
  },
  {
    sentence: "a CronJob that is suspended is explained",
    objects: [SUSPENDED],
    line: "explain report",
    shows: [
      "report did NOT run at Fri 2026-01-02 03:00 UTC: its schedule is on hold; since when is not known.",
      "        FAIL  Suspended: spec.suspend is true",
      "        -     who leads is not known: there is no Lease kube-system/kube-controller-manager",
      "Since   no success is known",
      "Next    nothing is scheduled as things stand",
    ],
  },

  {
    sentence: "history shows a run that completed",
    objects: [REPORT, COMPLETE],
    line: "history report",
    stdout: `
TIME (UTC)            TRIGGER   START  DURATION  OUTCOME    JOB
Fri 2026-01-02 03:00  schedule  +0s    5m        Succeeded  report-29455380
p50 5m, p95 5m over 1 run that ended; 100 % of them succeeded`.slice(1),
  },
  {
    sentence: "history shows a run that failed",
    objects: [REPORT, FAILED],
    line: "history report",
    stdout: `
TIME (UTC)            TRIGGER   START  DURATION  OUTCOME  WHY              JOB
Fri 2026-01-02 03:00  schedule  +0s    5m        Failed   its Pods failed  report-29455380
p50 5m, p95 5m over 1 run that ended; 0 % of them succeeded`.slice(1),
  },
  {
    sentence: "history shows a run whose Job is suspended",
    objects: [REPORT, HALTED],
    line: "history report",
    stdout: `
TIME (UTC)            TRIGGER   START  DURATION    OUTCOME  WHY                                             JOB
Fri 2026-01-02 03:00  schedule  +0s    20m so far  Pending  the Job is suspended: its spec.suspend is true  report-29455380`
      .slice(1),
  },
  {
    sentence: "history of no run says so, and who may know more",
    objects: [REPORT],
    line: "history report",
    stdout: "No run is known: history limits delete Jobs. --server asks a controller that remembers runs",
  },

  {
    sentence: "a log without a word is none",
    objects: [REPORT, COMPLETE, COMPLETE_POD],
    answers: [insteadOf(LOG, recorded("pod-create-defaults", 2))],
    line: "logs report",
  },
  {
    sentence: "the log of a Pod that has gone meanwhile",
    objects: [REPORT, COMPLETE, COMPLETE_POD],
    answers: [insteadOf(LOG, recorded("pod-create-defaults", 3))],
    line: "logs report",
    refusal: "Cannot read the log of report-29455380-x/main: the Pod is gone",
  },
  {
    sentence: "a log that may not be read",
    objects: [REPORT, COMPLETE, COMPLETE_POD],
    answers: [insteadOf(LOG, recorded("error-forbidden", 12))],
    line: "logs report",
    refusal: "You may not read logs of Pods in namespace team-a",
  },
  {
    sentence: "logs of a run whose Pods are gone",
    objects: [REPORT, COMPLETE],
    line: "logs report",
    refusal:
      "The run report-29455380 has no Pod whose output could be read: explain report --job report-29455380 -n team-a says what is known of it",
  },
  {
    sentence: "logs of a CronJob without runs",
    objects: [REPORT],
    line: "logs report",
    refusal: "report has no run with a Job",
  },

  {
    sentence: "simulate reads the cluster",
    objects: [REPORT, COMPLETE],
    line: "simulate --with-cluster --from 04:00 --to 06:00 --ascii",
    stdout: `
1 CronJob, Fri 2026-01-02 04:00 to Fri 2026-01-02 06:00 UTC: 2 runs
Starts in the busiest minute of each 5:  . 0  - 1-4  + 5-19  * 20-49  # 50+
    :00 :05 :10 :15 :20 :25 :30 :35 :40 :45 :50 :55
04  -   .   .   .   .   .   .   .   .   .   .   .
05  -   .   .   .   .   .   .   .   .   .   .   .

peak starts  1 in the minute Fri 2026-01-02 04:00
peak active  1 at Fri 2026-01-02 04:00; by the p95 of 1 that were measured
requests     0 CPU at Fri 2026-01-02 04:00, 0 B at Fri 2026-01-02 04:00`.slice(1),
  },
];

const ACTING: readonly Row[] = [
  {
    sentence: "trigger does not believe an answer about another Job",
    objects: [REPORT],
    answers: [insteadOf(CREATE_JOB, recorded("job-create-defaults", 0))],
    line: "trigger report",
    refusal:
      'report: it is not known whether it was done: Cannot create jobs team-a/report-manual-…: the server\'s answer is of something else: no owner of it has the uid "uid-of-report"',
    writes: [CREATE_JOB],
  },
  {
    sentence: "trigger in a dry run creates none",
    objects: [REPORT],
    line: "trigger report --dry-run",
    stdout: "report Job created (dry run)",
  },
  {
    sentence: "pause suspends",
    objects: [REPORT],
    answers: [PATCHED],
    line: "pause report",
    stdout: "report suspended (spec.suspend, as kube-controller-manager runs it) until it is resumed",
    writes: [PATCH],
  },
  {
    sentence: "pause in a dry run writes nothing",
    objects: [REPORT],
    line: "pause report --dry-run",
    stdout: "report suspended (spec.suspend, as kube-controller-manager runs it) until it is resumed (dry run)",
  },
  {
    sentence: "a pause that ends by itself needs adoption",
    objects: [REPORT],
    line: "pause report --until 06:00",
    refusal:
      "Nothing was changed: report: kube-controller-manager runs it, which knows no pause that ends by itself: `cronjob-controller adopt report -n team-a` makes it possible, or leave --until out",
  },
  {
    sentence: "what is suspended is not paused",
    objects: [SUSPENDED],
    line: "pause report",
    stdout: "report is paused already, left as it is: suspended by spec.suspend (setting that to false ends it)",
  },
  {
    sentence: "what others suspended is not resumed",
    objects: [SUSPENDED],
    line: "resume report",
    stdout: "report not resumed: suspended by spec.suspend (setting that to false ends it)",
    exitCode: 1,
  },
  {
    sentence: "what is not paused is not resumed",
    objects: [REPORT],
    line: "resume report",
    stdout: "report is not paused",
  },
  {
    sentence: "a back-fill needs adoption",
    objects: [REPORT],
    line: "backfill report --from 1h",
    refusal:
      "Nothing was changed: report: kube-controller-manager runs it, which knows no back-fills: `cronjob-controller adopt report -n team-a` makes it possible",
  },
];

/** A server with the tutorial's API too. */
const CUSTOM = [recorded("crd-discovery", 0), recorded("cr-crud", 2)];
const PATCH_CUSTOM = "PATCH /apis/batch.tutorial.kubebuilder.io/v1/namespaces/team-a/cronjobs/a";

const TUTORIAL: readonly Row[] = [
  {
    sentence: "a custom CronJob is shown beside others",
    objects: [REPORT, COMPLETE],
    answers: CUSTOM,
    line: "status",
    stdout: `
1 CronJob runs only if a controller is there: there is no Lease cronjob-controller-system/cronjob-controller, which a controller with --leader-elect has
NAME    API                               BY                       STATE    SINCE  LAST RUNS  LAST OK  NEXT             WHY
a       batch.tutorial.kubebuilder.io/v1  cronjob-controller       Overdue  49m                        03:21 UTC (1m)   It was not started; no Event says why: does a controller run?
report  batch/v1                          kube-controller-manager  Waiting         ok         15m      04:00 UTC (40m)`
      .slice(1),
  },
  {
    sentence: "a custom CronJob is explained",
    answers: CUSTOM,
    line: "explain a",
    stdout: `
a is to run at Fri 2026-01-02 03:20 UTC: it is due, and has no Job yet.
Checks  ok    */1 * * * * names that time in UTC, as no timeZone is set; no clock change near it
        ?     not suspended, not paused now
        ok    inside startTime and endTime; the schedule is unchanged since Fri 2026-01-02 02:30 UTC
        -     concurrencyPolicy Allow: any number may be active
        -     startingDeadlineSeconds: none set
        -     who leads is not known: there is no Lease cronjob-controller-system/cronjob-controller
        -     no Job was created for it
By      cronjob-controller runs it, if one is there: there is no Lease cronjob-controller-system/cronjob-controller, which a controller with --leader-elect has
Since   no success is known
Do      check that exactly one controller runs, and read its log
Next    Fri 2026-01-02 03:21 UTC, in 1m`.slice(1),
  },
  {
    sentence: "a custom CronJob is paused until a time",
    answers: [...CUSTOM, recorded("cr-patch", 1)],
    line: "pause a --until 06:00 --reason move",
    stdout: "a paused until Fri 2026-01-02 06:00 UTC",
    writes: [PATCH_CUSTOM],
  },
  {
    sentence: "the controller is asked for a run of a custom CronJob",
    answers: [...CUSTOM, recorded("cr-patch", 1)],
    line: "trigger a",
    stdout: "a asked for a run (trigger cli-20260102T032000Z): a-m085s403",
    writes: [PATCH_CUSTOM],
  },
  {
    sentence: "the controller is asked for a back-fill of a custom CronJob",
    answers: [...CUSTOM, recorded("cr-patch", 1)],
    line: "backfill a --from 10m",
    stdout: `
10 scheduled times: 10 missing -> leaves 10 to the schedule
a asked to run what lies from Fri 2026-01-02 03:10 UTC to Fri 2026-01-02 03:20 UTC (back-fill cli-20260102T032000Z)`
      .slice(1),
    writes: [PATCH_CUSTOM],
  },
  {
    sentence: "a back-fill in a dry run is a preview",
    answers: CUSTOM,
    line: "backfill a --from 3m --dry-run",
    stdout: `
3 scheduled times: 3 missing -> leaves 3 to the schedule (dry run)
TIME (UTC)            WAS      JOB
Fri 2026-01-02 03:17  missing  waits: the schedule itself may still start it
Fri 2026-01-02 03:18  missing  waits: the schedule itself may still start it
Fri 2026-01-02 03:19  missing  waits: the schedule itself may still start it`.slice(1),
  },
  {
    sentence: "a conflict about a custom CronJob",
    answers: [...CUSTOM, recorded("cr-crud", 1), insteadOf(PATCH_CUSTOM, recorded("cr-crud", 4))],
    line: "pause a",
    refusal:
      'a: Cannot patch cronjobs team-a/a: Operation cannot be fulfilled on cronjobs.batch.tutorial.kubebuilder.io "a": the object has been modified; please apply your changes to the latest version and try again',
    writes: Array(5).fill(PATCH_CUSTOM),
  },
  {
    sentence: "a custom CronJob that its schema refuses",
    answers: [...CUSTOM, insteadOf(PATCH_CUSTOM, recorded("cr-validation", 1))],
    line: "pause a",
    refusal:
      'a: Cannot patch cronjobs team-a/a: CronJob.batch.tutorial.kubebuilder.io "a" is invalid: spec.startingDeadlineSeconds: Invalid value: -1: spec.startingDeadlineSeconds in body should be greater than or equal to 0',
    writes: [PATCH_CUSTOM],
  },
];

for (const [what, rows] of Object.entries({ reading: READING, acting: ACTING, "custom CronJobs": TUTORIAL })) {
  test(`what kube-apiserver was recorded to answer is shown truly: ${what}`, (context) => holdTo(rows, context));
}

const COMPLETIONS: readonly (readonly [sentence: string, scene: Scene, ...names: string[]])[] = [
  ["names of a server that gives whole objects", { answers: [recorded("cronjob-list", 3)] }, "a", "b"],
  ["no names where they may not be read", { answers: [recorded("error-forbidden", 1)] }],
  ["no names for who is not known", { answers: [recorded("error-unauthorized", 0)] }],
];

test("completion offers the names that kube-apiserver was recorded to answer, and none of a refusal", async (context) => {
  await using folder = await temporaryFolder();
  await using server = new RecordedServer();
  const kubeconfig = `${folder.path}/kubeconfig`;
  await Deno.writeTextFile(kubeconfig, server.kubeconfig);
  for (const [sentence, scene, ...names] of COMPLETIONS) {
    await context.step(sentence, async () => {
      server.show(scene);
      const found = await findNames("CronJobs", { kubeconfig, context: undefined, namespace: undefined }, 60_000);
      assertEquals(found.map(({ word }) => word), names);
    });
  }
});
