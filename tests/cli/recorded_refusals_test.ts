import { test } from "../support/test.ts";
import { insteadOf, recorded } from "./support/recorded_answers.ts";
import {
  CREATE_JOB,
  holdTo,
  LIST,
  OF_REPORT,
  PATCH,
  PATCHED,
  REACH,
  REPORT,
  type Row,
  SUSPENDED,
} from "./support/recorded_rows.ts";

const OF_JOB = { cronjobs: "jobs" };
const UNKNOWN = insteadOf(REACH, recorded("error-unauthorized", 3));

const REFUSALS: readonly Row[] = [
  {
    sentence: "401: a user who is not known learns so",
    answers: [UNKNOWN],
    line: "status",
    refusal: "The API server SERVER does not accept the credentials: they are wrong, or have expired",
  },
  {
    sentence: "401: a question by exit code has no answer then",
    answers: [UNKNOWN],
    line: "status --check",
    refusal: "The API server SERVER does not accept the credentials: they are wrong, or have expired",
    exitCode: 2,
  },
  {
    sentence: "401: credentials expire meanwhile",
    answers: [recorded("error-unauthorized", 0)],
    line: "status",
    refusal: "Cannot list cronjobs in team-a: Unauthorized",
  },
  {
    sentence: "401: credentials expire before a write",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("error-unauthorized", 0))],
    line: "pause report",
    refusal: "report: Cannot patch cronjobs team-a/report: Unauthorized",
    writes: [PATCH],
  },
  {
    sentence: "403: who may not read the version may read CronJobs",
    objects: [SUSPENDED],
    answers: [insteadOf(REACH, recorded("error-unauthorized", 2))],
    line: "status",
    stdout: `
NAME    BY                       STATE      WHY
report  kube-controller-manager  Suspended  spec.suspend is true`.slice(1),
  },
  {
    sentence: "403: an anonymous user does not read that there are none",
    answers: [recorded("error-unauthorized", 1), recorded("error-unauthorized", 2)],
    line: "status",
    refusal: "You may not list cronjobs of batch/v1 in namespace team-a",
  },
  ...["status", "explain a", "history a", "resume --all", "simulate -n team-a"].map((line): Row => ({
    sentence: `403: CronJobs of a namespace, asked for by ${line}`,
    answers: [recorded("error-forbidden", 1)],
    line,
    refusal: "You may not list cronjobs of batch/v1 in namespace team-a",
  })),
  {
    sentence: "403: CronJobs of all namespaces",
    answers: [recorded("error-forbidden", 3)],
    line: "status -A",
    refusal: "You may not list cronjobs of batch/v1 in all namespaces; name one with --namespace",
  },
  {
    sentence: "403: what may be read may not be written",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("error-forbidden", 9), OF_REPORT)],
    line: "pause report",
    refusal:
      'report: Cannot patch cronjobs team-a/report: cronjobs.batch "report" is forbidden: User "nobody" cannot patch resource "cronjobs" in API group "batch" in the namespace "team-a"',
    writes: [PATCH],
  },
  {
    sentence: "403: no Job may be created",
    objects: [REPORT],
    answers: [insteadOf(CREATE_JOB, recorded("error-forbidden", 7), OF_JOB)],
    line: "trigger report",
    refusal:
      'report: Cannot create jobs team-a/report-manual-…: jobs.batch is forbidden: User "nobody" cannot create resource "jobs" in API group "batch" in the namespace "team-a"',
    writes: [CREATE_JOB],
  },
  {
    sentence: "403: the namespace is going away",
    objects: [REPORT],
    answers: [insteadOf(CREATE_JOB, recorded("namespace-terminating", 6), { ...OF_JOB, "team-a-t": "team-a" })],
    line: "trigger report",
    refusal:
      'report: Cannot create jobs team-a/report-manual-…: jobs.batch "new" is forbidden: unable to create new content in namespace team-a because it is being terminated',
    writes: [CREATE_JOB],
  },
  {
    sentence: "404: the CronJob is gone meanwhile",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("error-not-found", 3), OF_REPORT)],
    line: "pause report",
    refusal: "report: it is gone",
    writes: [PATCH],
  },
  {
    sentence: "404: the namespace is gone meanwhile, and not the CronJob alone",
    objects: [REPORT],
    answers: [insteadOf(CREATE_JOB, recorded("error-not-found", 8), { "absent-namespace": "team-a" })],
    line: "trigger report",
    refusal: 'report: Cannot create jobs team-a/report-manual-…: namespaces "team-a" not found',
    writes: [CREATE_JOB],
  },
  {
    sentence: "404: the kind is not served",
    answers: [insteadOf(LIST, recorded("error-not-found", 5))],
    line: "status",
    stdout: "There are no CronJobs",
  },
  {
    sentence: "410: a list that is shown no way on",
    answers: [recorded("error-expired-list", 0)],
    line: "status",
    refusal: "Cannot list cronjobs in team-a: The resourceVersion for the provided list is too old.",
  },
  {
    sentence: "410: pages that took too long are gone on with as it is now",
    answers: [
      insteadOf(LIST, recorded("cronjob-list", 3), { '"metadata":{"res': '"metadata":{"continue":"1","res' }),
      // With the token that Kubernetes documents, which no recording has: it would take too long until one expired.
      insteadOf(LIST, recorded("error-expired-list", 0), { '"metadata":{}': '"metadata":{"continue":"2"}' }),
      insteadOf(LIST, recorded("cronjob-list", 3), { '"a"': '"c"', '"b"': '"d"' }),
    ],
    line: "status",
    stdout: `
NAME  BY                       STATE    SINCE  NEXT            WHY
a     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?
b     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?
c     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?
d     kube-controller-manager  Overdue  45m    03:25 UTC (5m)  It was not started; no Event says why: does a controller run?`
      .slice(1),
  },
  {
    sentence: "409: who wrote first has it planned anew",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("error-conflict", 3), OF_REPORT), PATCHED],
    line: "pause report",
    stdout: "report suspended (spec.suspend, as kube-controller-manager runs it) until it is resumed",
    writes: [PATCH, PATCH],
  },
  {
    sentence: "409: another client always writes first",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("error-conflict", 3), OF_REPORT)],
    line: "pause report",
    refusal:
      'report: Cannot patch cronjobs team-a/report: Operation cannot be fulfilled on cronjobs.batch "report": the object has been modified; please apply your changes to the latest version and try again',
    writes: Array(5).fill(PATCH),
  },
  {
    sentence: "422: an edit that is not valid",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("cronjob-merge-patch", 3))],
    line: "pause report",
    refusal:
      'report: Cannot patch cronjobs team-a/report:  "" is invalid: patch: Invalid value: "<any>": json: cannot unmarshal number into Go struct field CronJobSpec.spec.schedule of type string',
    writes: [PATCH],
  },
  {
    sentence: "422: a Job that is not valid",
    objects: [REPORT],
    answers: [insteadOf(CREATE_JOB, recorded("job-selectors", 2), { '\\"l\\"': '\\"report-1\\"' })],
    line: "trigger report",
    refusal:
      'report: Cannot create jobs team-a/report-manual-…: Job.batch "report-1" is invalid: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    writes: [CREATE_JOB],
  },
  {
    sentence: "500: the server fails",
    objects: [REPORT],
    answers: [insteadOf(PATCH, recorded("cronjob-apply-errors", 7))],
    line: "pause report",
    refusal:
      "report: Cannot patch cronjobs team-a/report: failed to create typed patch object (/report; batch/v1, Kind=CronJob): .spec.nope: field not declared in schema",
    writes: [PATCH],
  },
];

test("what kube-apiserver was recorded to refuse is shown truly", (context) => holdTo(REFUSALS, context));
