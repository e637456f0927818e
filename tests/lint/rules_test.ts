import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { dryRunCreate, kindsWith } from "../../src/apiserver/dry_run.ts";
import { lint } from "../../src/lint/lint.ts";
import type { RuntimeName } from "../../src/kubelet/files/run_files.ts";
import type { RuleId } from "../../src/lint/rules.ts";
import { noManifests, parseManifests } from "../../src/manifest_files/parse.ts";
import { sampleFiles } from "../support/samples.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const NOW = Date.parse("2026-06-15T10:00:00Z");

interface Options {
  readonly apiVersion?: string | undefined;
  readonly metadata?: string;
  readonly spec?: string;
  readonly container?: string;
}

const CRD = "cronjob-controller.dev/v1";

/** A CronJob in which nothing is found but what the options put into it; the spec begins at line 5. */
function cronJob(
  { apiVersion = "batch/v1", metadata = "{name: it}", spec = "", container = "" }: Options = {},
): string {
  const has = (field: string) => new RegExp(`^  ${field}:`, "m").test(spec);
  const usual = [
    ...has("schedule") ? [] : ["  schedule: 5 2 * * *"],
    ...has("timeZone") ? [] : ["  timeZone: UTC"],
    ...has("concurrencyPolicy") ? [] : ["  concurrencyPolicy: Forbid"],
  ];
  return `apiVersion: ${apiVersion}
kind: CronJob
metadata: ${metadata}
spec:
${[...spec === "" ? [] : [spec], ...usual].join("\n")}
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox${container}}]}}}}
`;
}

/** Each finding as `rule line message`. */
function findingsIn(
  files: Readonly<Record<string, string>>,
  disabled: readonly RuleId[] = [],
  runtime?: RuntimeName,
): string[] {
  const read = noManifests();
  for (const [source, text] of Object.entries(files)) parseManifests(text, source, read);
  const { findings } = lint(read, NOW, { disabled: new Set(disabled), runtime });
  return findings.map(({ rule, line, message }) => `${rule} ${line} ${message}`);
}

const found = (text: string, disabled?: RuleId[]) => findingsIn({ "file.yaml": text }, disabled);

const scheduled = (schedule: string, apiVersion?: string) => cronJob({ apiVersion, spec: `  schedule: "${schedule}"` });
const annotated = (annotation: string, apiVersion?: string) =>
  cronJob({ apiVersion, metadata: `{name: it, annotations: {${annotation}}}` });

/** What is written, and what is found. */
const CASES: readonly (readonly [text: string, ...findings: string[]])[] = [
  [cronJob()],
  [
    scheduled("*/40 * * * *"),
    "uneven-step 5 */40 does not divide the hour evenly: minute 0, 40, and then after 20 minutes minute 0 again",
  ],
  [
    scheduled("0 */7 * * *"),
    "uneven-step 5 */7 does not divide the day evenly: hour 0, 7, 14, 21, and then after 3 hours hour 0 again",
  ],
  [scheduled("*/90 * * * *"), "uneven-step 5 */90 is minute 0 alone: the step is longer than the hour"],
  [scheduled("*/15 */6 * * *")],
  [
    scheduled("0 3 */14 * *"),
    "uneven-step 5 the step of 14 days begins anew with each month: days 1, 15, 29, and in a month of 31 after 3 d " +
    "day 1 again; @every 336h keeps the distance",
  ],
  [
    scheduled("0 3 */2 * *", CRD),
    "uneven-step 5 the step of 2 days begins anew with each month: days 1, 3, 5, ... 31, and in a month of 31 " +
    "after 1 d day 1 again; @every 48h keeps the distance",
  ],
  [
    scheduled("0 3 */40 * *"),
    "uneven-step 5 the step of 40 days is longer than the month: it is day 1 alone",
  ],
  ...["1/14", "1-31/14"].map((days) =>
    [
      scheduled(`0 3 ${days} * *`),
      "uneven-step 5 the step of 14 days begins anew with each month: days 1, 15, 29, and in a month of 31 after 3 d " +
      "day 1 again; @every 336h keeps the distance",
    ] as const
  ),
  [scheduled("0-23/7 * * * *")],
  [scheduled("*/7,30 * * * *")],
  [scheduled("0 3 */1 * *")],
  [scheduled("0 3 1,15 * *")],
  [scheduled("0-30/20 2 * * *")],
  [
    scheduled("* 2 * * *"),
    "every-minute 5 runs at every minute from 02:00 to 02:59: write 0 for the minute to run once",
  ],
  [scheduled("* 9-17 * * *")],
  [scheduled("* 23,0 * * *")],
  [
    scheduled("0 0 31 * *"),
    "short-month 5 there is no day 31 in February, April, June, September, November, and no run on it: the annotation " +
    "cronjob-controller.dev/schedule takes L for the last day",
  ],
  [scheduled("0 0 29,30 1-3 *", CRD)],
  [
    scheduled("0 0 30 1-3 *", CRD),
    "short-month 5 there is no day 30 in February, and no run on it: write L for the last day",
  ],
  [
    scheduled("0 0 29 * *", CRD),
    "short-month 5 there is no day 29 in February of most years, and no run on it: write L for the last day",
  ],
  [scheduled("0 0 28-31 * *")],
  [scheduled("0 0 31 1,3,5 *")],
  [scheduled("0 0 29 2 *")],
  [scheduled("0 0 31 2 *"), 'never-runs 5 "0 0 31 2 *" never comes: no year has 31 February'],
  [
    cronJob({ spec: '  timeZone:\n  schedule: "0 9 * * *"' }),
    "no-time-zone 6 these are times of UTC: set spec.timeZone, such as Europe/Berlin, or UTC to say that it is meant",
  ],
  [cronJob({ spec: '  timeZone:\n  schedule: "*/5 * * * *"' })],
  [cronJob({ spec: '  timeZone:\n  schedule: "@every 5m"' })],
  [
    cronJob({
      apiVersion: CRD,
      spec: "  timeZone:\n  schedules: [{schedule: 5 2 * * *, timeZone: UTC}, {schedule: 5 3 * * *}]",
    }),
    "no-time-zone 6 these are times of UTC: set spec.timeZone, such as Europe/Berlin, or UTC to say that it is meant",
  ],
  [
    cronJob({ spec: "  startingDeadlineSeconds: 9" }),
    "short-deadline 5 9 s may be over before kube-controller-manager looks: set at least 10",
  ],
  [cronJob({ spec: "  startingDeadlineSeconds: 10" })],
  [cronJob({ spec: "  startingDeadlineSeconds: 9", apiVersion: CRD })],
  [
    cronJob({
      spec: "  startingDeadlineSeconds: 9",
      metadata: '{name: it, annotations: {cronjob-controller.dev/managed: "true"}}',
    }),
  ],
  [
    cronJob({ apiVersion: CRD, spec: '  endTime: "2026-06-15T09:59:59Z"' }),
    "ended 5 2026-06-15T09:59:59Z lies in the past: no scheduled run starts any more",
  ],
  [
    cronJob({ apiVersion: CRD, spec: '  endTime: "2027-01-01T00:00:00Z"\n  startTime: "2027-02-01T00:00:00Z"' }),
    "ended 5 2027-01-01T00:00:00Z is not after startTime: no scheduled run starts",
  ],
  [cronJob({ apiVersion: CRD, spec: '  endTime: "2026-06-15T10:00:01Z"' })],

  [
    annotated("cronjob-controller.dev/catchup: All"),
    "unknown-annotation 3 this controller knows no such annotation: did you mean cronjob-controller.dev/catch-up?",
  ],
  [
    annotated("cronjob-controler.dev/catch-up: All"),
    "unknown-annotation 3 this controller knows no such annotation: did you mean cronjob-controller.dev/catch-up?",
  ],
  [
    annotated("catch-up: All"),
    "unknown-annotation 3 this controller knows no such annotation: did you mean cronjob-controller.dev/catch-up?",
  ],
  [
    annotated("cronjob-controller.dev/paint-it: black"),
    "unknown-annotation 3 this controller knows no such annotation",
  ],
  [annotated("example.com/schedule: x, schedule: x, resume-from: x, kubernetes.io/change-cause: w")],
  [
    annotated("cronjob-controller.dev/catch-up: All", CRD),
    "misplaced-annotation 3 has no effect in this API: set spec.catchUp",
  ],
  [
    annotated("cronjob-controller.dev/on-edit: None", CRD),
    "misplaced-annotation 3 has no effect in this API: an edit always drops what was due before",
  ],
  [annotated("cronjob-controller.dev/trigger: now", CRD)],
  [
    cronJob({ metadata: "{name: it, labels: {cronjob-controller.dev/catch-up: All}}" }),
    "misplaced-annotation 3 has no effect here: it belongs to metadata.annotations",
  ],

  [
    cronJob({ spec: "  timezone: UTC\n  backoffLimit: 3\n  nonsense: 1" }),
    "unknown-field 5 there is no such field: did you mean timeZone?",
    "unknown-field 6 there is no such field here: it belongs to spec.jobTemplate.spec",
    "unknown-field 7 there is no such field",
  ],
  [
    scheduled("61 25 32 * *"),
    'schedule 5 minute "61": must be 0-59',
    'schedule 5 hour "25": must be 0-23',
    'schedule 5 day-of-month "32": must be 1-31',
  ],
  [
    cronJob({
      apiVersion: CRD,
      spec: "  exclude: [{dates: [x]}, {dates: ['2026-12-25']}, {from: x}]\n  schedules:\n  - {schedule: a}\n" +
        "  - {schedule: 5 2 * * *, timeZone: Mars}",
    }),
    'exclude 5 "x": must be a date such as 2026-12-25, or --12-31 for each year',
    'exclude 5 "{\\"from\\":\\"x\\"}": must have either dates, or from and to, or schedule and, if it lasts longer ' +
    "than a minute, duration",
    'schedule 7 schedule "a": has 1 field; must be five fields, "minute hour day-of-month month day-of-week", or a ' +
    "descriptor such as @daily",
    'time-zone 8 time-zone "Mars": must be a name of the tz database such as Europe/Berlin',
  ],
  [
    cronJob({
      spec:
        '  suspend: "yes"\n  successfulJobsHistoryLimit: "3"\n  failedJobsHistoryLimit: 1.5\n  startingDeadlineSeconds: 5s',
      container:
        ", args: hello, env: [{name: A, value: 5}, {name: B, value: true}], ports: [{containerPort: 3000000000}]," +
        " resources: {limits: {memory: 1Q, cpu: []}, requests: {cpu: -1}}",
    }),
    'type 5 cannot be "yes": must be true or false',
    'type 6 cannot be "3": must be a whole number of 32 bits, without quotes',
    "type 7 cannot be 1.5: must be a whole number of 32 bits",
    'type 8 cannot be "5s": must be a whole number',
    'type 12 cannot be "hello": must be a list',
    "type 12 cannot be 5: must be a string, in quotes",
    "type 12 cannot be true: must be a string, in quotes",
    "type 12 cannot be 3000000000: must be a whole number of 32 bits",
    'type 12 cannot be "1Q": must be a quantity such as 500m, 2 or 128Mi',
    "type 12 cannot be []: must be a quantity such as 500m, 2 or 128Mi",
    'invalid 12 Invalid value: "-1": must be greater than or equal to 0',
  ],
  [
    cronJob({ container: ", volumeMounts: [{name: data, mountPath: /data}]" }),
    'invalid 8 Not found: "data"',
  ],
  [
    cronJob({ container: "}, {name: main, image: ''" }),
    'invalid 8 Duplicate value: "main"',
    "invalid 8 Required value",
  ],
  [
    cronJob().replace("Never", "Always"),
    'invalid 8 Required value: must be "OnFailure" or "Never"',
  ],
  [
    cronJob().replace("restartPolicy: Never, ", ""),
    'invalid 8 Required value: must be "OnFailure" or "Never"',
  ],
  [
    cronJob({ apiVersion: CRD }).replace("Never", "Always"),
    'job-template 8 Required value: must be "OnFailure" or "Never" (every run\'s Job would meet this)',
  ],
];

const USUAL = new Set(cronJob().split("\n"));

for (const [text, ...findings] of CASES) {
  const what = text.split("\n").filter((line) => !USUAL.has(line)).map((line) => line.trim()).join("; ");
  const rules = [...new Set(findings.map((finding) => finding.split(" ")[0]))].join(", ") || "nothing";
  test(`lint finds ${rules} in: ${what || "a sound CronJob"}`, () => {
    assertEquals(found(text), findings);
  });
}

const expecting = (expect: string, job = "") =>
  cronJob({ apiVersion: CRD }).replace("  schedule:", `  expect: {${expect}}\n  schedule:`)
    .replace("{spec: {template:", `{spec: {${job}template:`);

table<[text: string, ...findings: string[]]>("lint finds an expectation that healthy runs do not meet", [
  [
    "every run of the day is too far from the next",
    expecting("succeededWithinSeconds: 86400"),
    "expectation 5 86400 s is no longer than the 86400 s between two runs",
  ],
  ["one that leaves time", expecting("succeededWithinSeconds: 90000")],
  [
    "a run is ended before it is long enough",
    expecting("minimumDurationSeconds: 60", "activeDeadlineSeconds: 60, "),
    "expectation 5 60 s is no shorter than activeDeadlineSeconds, 60 s",
  ],
  ["a run may be long enough", expecting("minimumDurationSeconds: 60", "activeDeadlineSeconds: 61, ")],
], (text, ...findings) => assertEquals(found(text), findings));

const LONG = "may run for 120 minutes, and begins anew, or fails, if its node is drained or scaled away: answer " +
  "DisruptionTarget in podFailurePolicy, or annotate the Pod template karpenter.sh/do-not-disrupt or " +
  "cluster-autoscaler.kubernetes.io/safe-to-evict";

/** A CronJob whose Job, Pod template and Pod have fields of their own. */
function template(
  { job = "", annotations = "{}", pod = "" }: { job?: string; annotations?: string; pod?: string },
): string {
  return cronJob().replace(
    "{spec: {template: {spec: {",
    `{spec: {${job}template: {metadata: {annotations: ${annotations}}, spec: {${pod}`,
  );
}

const TWO_HOURS = "activeDeadlineSeconds: 7200, ";
const policyOn = (type: string) =>
  `podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: ${type}, status: "True"}]}]}, `;

table<[text: string, ...findings: string[]]>("lint finds a long Job that has no answer to disruption", [
  ["by the deadline of the Job", template({ job: TWO_HOURS }), `disruption 8 ${LONG}`],
  ["by the deadline of its Pods", template({ pod: TWO_HOURS }), `disruption 8 ${LONG}`],
  ["not if one of the two is short", template({ job: TWO_HOURS, pod: "activeDeadlineSeconds: 60, " })],
  ["not below an hour", template({ job: "activeDeadlineSeconds: 3599, " })],
  ["not without a deadline, as nothing says how long it takes", template({})],
  ["not if its policy answers", template({ job: TWO_HOURS + policyOn("DisruptionTarget") })],
  [
    "if its policy is about something else",
    template({ job: TWO_HOURS + policyOn("ConfigIssue") }),
    `disruption 8 ${LONG}`,
  ],
  [
    "not if karpenter may not disrupt it",
    template({ job: TWO_HOURS, annotations: '{karpenter.sh/do-not-disrupt: "true"}' }),
  ],
  [
    "not if cluster-autoscaler may not evict it",
    template({ job: TWO_HOURS, annotations: '{cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}' }),
  ],
  [
    "if cluster-autoscaler may",
    template({ job: TWO_HOURS, annotations: '{cluster-autoscaler.kubernetes.io/safe-to-evict: "true"}' }),
    `disruption 8 ${LONG}`,
  ],
], (text, ...findings) => assertEquals(found(text), findings));

test("lint finds one CronJob in two files, and one name in two APIs", () => {
  const files = { "a.yaml": cronJob(), "b.yaml": cronJob(), "c.yaml": cronJob({ apiVersion: CRD }) };
  assertEquals(findingsIn(files), [
    "duplicate 3 the same CronJob stands in a.yaml:3: the one that is applied last wins",
    "shared-name 3 the CronJob of batch/v1 in a.yaml:3 has this name too, and so have their Jobs: rename one",
  ]);
  const elsewhere = { "a.yaml": cronJob(), "b.yaml": cronJob({ metadata: "{name: it, namespace: other}" }) };
  assertEquals(findingsIn(elsewhere), []);
});

/** A CronJob whose Pod template asks for a container runtime. */
const asking = (runtime: string) =>
  cronJob().replace(
    "{template: {",
    `$&metadata: {annotations: {cronjob-controller.dev/container-runtime: ${runtime}}}, `,
  );

const RUNTIME_CASES: readonly (readonly [text: string, runtime: RuntimeName | undefined, ...findings: string[]])[] = [
  [cronJob({ container: ", command: [date]" }), "process"],
  [cronJob(), undefined],
  [cronJob(), "podman"],
  [
    cronJob(),
    "process",
    'container-runtime 8 the container runtime process refuses this: Container "main" has neither command nor args, and its ' +
    "image's own entry point is not known as images are not pulled here: set spec.containers[0].command to what is to run",
  ],
  [
    asking("podman").replace("image: busybox", "$&, ports: [{containerPort: 1, hostPort: 2}]"),
    undefined,
    "container-runtime 8 the container runtime podman refuses this: spec.containers[0].ports[0].hostPort is not supported " +
    "here: leave the field out",
  ],
  [
    cronJob({ container: ", command: [date], livenessProbe: {grpc: {port: 1}, periodSeconds: 5}" }),
    "process",
    "container-runtime-ignores 8 livenessProbe.grpc (use exec) has no effect with container runtime process",
  ],
  [
    cronJob({ container: ", livenessProbe: {grpc: {port: 1}, periodSeconds: 5}" }),
    "podman",
    "container-runtime-ignores 8 livenessProbe.grpc (use exec) has no effect with container runtime podman",
  ],
  [
    cronJob({ container: ", lifecycle: {preStop: {sleep: {seconds: 1}}}" }),
    "podman",
    "container-runtime-ignores 8 lifecycle.preStop has no effect with container runtime podman",
  ],
  [
    cronJob().replace("{template: {spec: {", "$&imagePullSecrets: [{name: s}], "),
    "docker",
    "container-runtime-ignores 8 imagePullSecrets (log the engine in to the registry) has no effect with container runtime docker",
  ],
  [
    cronJob({ container: ", readinessProbe: {httpGet: {port: 80}}" }),
    "docker",
    "container-runtime-ignores 8 readinessProbe.httpGet (use exec) has no effect with container runtime docker",
  ],
  [
    asking("rkt"),
    undefined,
    'container-runtime 8 there is no container runtime "rkt": must be one of process, podman, docker',
  ],
  [asking("podman"), "process"],
  [
    annotated("cronjob-controller.dev/container-runtime: podman"),
    undefined,
    "misplaced-annotation 3 has no effect here: it belongs to the Pod template",
  ],
  [cronJob({ container: ", command: date" }), "process", 'type 8 cannot be "date": must be a list'],
];

for (const [text, runtime, ...findings] of RUNTIME_CASES) {
  const what = text.split("\n").filter((line) => !USUAL.has(line)).map((line) => line.trim()).join("; ") ||
    "a sound CronJob";
  test(`lint --container-runtime ${runtime ?? "none"} finds ${findings.length} in: ${what}`, () => {
    assertEquals(findingsIn({ "file.yaml": text }, [], runtime), findings);
  });
}

const MARK = "# cronjob-controller-lint disable=";

test("a comment disables a rule for its line or its document, and --disable for all", () => {
  const wrong = '  schedule: "* 2 * * *"';
  const all = `${cronJob({ spec: wrong })}---\n${cronJob({ spec: wrong, metadata: "{name: other}" })}`;
  const left = (text: string) => found(text).map((finding) => finding.split(" ").slice(0, 2).join(" "));
  assertEquals(left(all), ["every-minute 5", "every-minute 14"]);
  assertEquals(found(all, ["every-minute"]), []);
  assertEquals(left(all.replace(wrong, `${wrong} ${MARK}every-minute`)), ["every-minute 14"]);
  assertEquals(left(all.replace("spec:", `spec: ${MARK}every-minute`)), ["every-minute 5", "every-minute 14"]);
  assertEquals(left(all.replace("kind: CronJob", `kind: CronJob\n${MARK}ended,every-minute # why`)), [
    "every-minute 15",
  ]);
  assertEquals(left(`# A file\n${MARK}every-minute\n---\n${all}`), ["every-minute 17"]);
  assertEquals(left(`${MARK}every-minute\n${all}`), ["every-minute 15"]);
  assertEquals(found(cronJob({ spec: `  suspend: true ${MARK}every-minut` })), [
    "unknown-rule 5 there is no rule every-minut: did you mean every-minute?",
  ]);
});

test("the samples of the project, together and each by itself, are without findings", async () => {
  const files: Record<string, string> = {};
  for await (const { path, text } of sampleFiles()) files[path] = text;
  assert(Object.keys(files).length > 5);
  assertEquals(findingsIn(files), []);
  for (const text of Object.values(files)) assertEquals(found(text), []);
});

test("what lint takes for the right types, the API server can read", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(
      null,
      -1,
      0.5,
      3e9,
      1e300,
      "",
      "5m",
      "1Gi",
      "2026-01-01T00:00:00Z",
      [],
      {},
      [null],
      [[]],
      [{}],
      true,
    ),
  );
  const kinds = kindsWith([]);
  const sound = () => ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "a", labels: { a: "b" }, creationTimestamp: null, managedFields: [{ time: null }] },
    spec: {
      schedule: "5 2 * * *",
      suspend: true,
      startingDeadlineSeconds: 5,
      jobTemplate: {
        spec: {
          podReplacementPolicy: "Failed",
          template: {
            spec: {
              containers: [{
                name: "a",
                env: [{ name: "X" }],
                ports: [{ containerPort: 80 }],
                resources: { limits: { cpu: "1" } },
                livenessProbe: { httpGet: { port: 80 } },
              }],
            },
          },
        },
      },
    },
  });
  const pathsOf = (inner: unknown): string[][] =>
    typeof inner !== "object" || inner === null
      ? []
      : Object.entries(inner).flatMap(([key, one]) => [[key], ...pathsOf(one).map((path) => [key, ...path])]);
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = sound();
  const paths = pathsOf(fields);
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, value) => {
      // deno-lint-ignore no-explicit-any
      const object: any = sound();
      path.slice(0, -1).reduce((at, key) => at[key], object)[path.at(-1)!] = value;
      dryRunCreate(object, { kinds, namespace: "default", now: NOW });
    }),
    { numRuns: 2000 },
  );
});
