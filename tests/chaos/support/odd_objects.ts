// Objects that are nearly right: sound ones of every kind that the controllers read, changed at a few places.
import * as fc from "fast-check";
import { JUNK } from "../../apiserver/support/junk.ts";
import { must } from "../../support/expected.ts";

export type Json = Record<string, unknown>;

export const ODD_KINDS = ["TutorialCronJob", "BatchCronJob", "Job", "Pod"] as const;
export type OddKind = (typeof ODD_KINDS)[number];

/** How an object is spoilt at one of its places, which is chosen by a number. */
interface Edit {
  readonly place: number;
  readonly how: "replace" | "remove" | "add" | "repeat" | "nest" | "borrow";
  readonly junk: unknown;
  readonly key: string;
}

const POD_SPEC: Json = {
  restartPolicy: "Never",
  serviceAccountName: "default",
  terminationGracePeriodSeconds: 5,
  volumes: [{ name: "v", configMap: { name: "c", items: [{ key: "k", path: "p" }] } }, { name: "e", emptyDir: {} }],
  initContainers: [{ name: "i", image: "i", command: ["true"] }],
  containers: [{
    name: "a",
    image: "i:1",
    command: ["true"],
    env: [{ name: "A", value: "1" }, { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    resources: { requests: { cpu: "1" }, limits: { cpu: "2" } },
    volumeMounts: [{ name: "v", mountPath: "/v" }],
  }],
};
const TEMPLATE: Json = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: POD_SPEC };
const JOB_SPEC: Json = {
  parallelism: 2,
  completions: 3,
  completionMode: "Indexed",
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 2,
  activeDeadlineSeconds: 600,
  ttlSecondsAfterFinished: 100,
  podFailurePolicy: {
    rules: [{ action: "FailJob", onExitCodes: { containerName: "a", operator: "In", values: [1] } }],
  },
  successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
  podReplacementPolicy: "Failed",
  template: TEMPLATE,
};
const TIME = "2026-02-28T23:55:00Z";
const RECORDED: Json = {
  lastScheduleTime: TIME,
  lastSuccessfulTime: TIME,
  active: [{ kind: "Job", name: "x", uid: "y" }],
};

/** A sound object of each kind, with as many fields as there are to spoil. The caller chooses its name. */
const SOUND: Record<OddKind, Json> = {
  TutorialCronJob: {
    apiVersion: "batch.tutorial.kubebuilder.io/v1",
    kind: "CronJob",
    metadata: { labels: { a: "b" }, annotations: { "cronjob-controller.dev/trigger": "1" } },
    spec: {
      schedule: "*/5 * * * *",
      timeZone: "Europe/Berlin",
      startingDeadlineSeconds: 100,
      concurrencyPolicy: "Forbid",
      suspend: false,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      clockChangePolicy: { gap: "RunAfter", overlap: "First" },
      onResume: "Latest",
      catchUp: { policy: "All", windowSeconds: 3600, maxRuns: 3 },
      maxConcurrentRuns: 2,
      pause: { until: TIME, reason: "r" },
      startTime: TIME,
      endTime: "2027-01-01T00:00:00Z",
      spreadSeconds: 10,
      exposeSchedule: true,
      jobTemplate: { metadata: { labels: { a: "b" } }, spec: JOB_SPEC },
    },
    status: {
      ...RECORDED,
      nextScheduleTime: TIME,
      lastFailureTime: TIME,
      queuedScheduleTime: TIME,
      schedule: { text: "*/5 * * * *", timeZone: "Europe/Berlin", since: TIME },
      counts: { succeeded: 1, failed: 1, missed: 1, skipped: 1, consecutiveFailures: 1 },
      recentRuns: [{ trigger: "Schedule", outcome: "Running", scheduledTime: TIME, startTime: TIME, jobName: "x" }],
      lastTrigger: "0",
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "True", reason: "R", message: "m", lastTransitionTime: TIME }],
    },
  },
  BatchCronJob: {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      labels: { a: "b" },
      annotations: {
        "cronjob-controller.dev/trigger": "1",
        "cronjob-controller.dev/last-trigger": "0",
        "cronjob-controller.dev/schedule": "H/5 * * * *",
        "cronjob-controller.dev/on-edit": "None",
        "cronjob-controller.dev/on-resume": "None",
        "cronjob-controller.dev/catch-up": "All",
        "cronjob-controller.dev/spread-seconds": "10",
        "cronjob-controller.dev/expose-schedule": "true",
        "cronjob-controller.dev/managed": "true",
        "cronjob-controller.dev/suspend": "false",
      },
    },
    spec: {
      schedule: "*/5 * * * *",
      timeZone: "America/New_York",
      startingDeadlineSeconds: 100,
      concurrencyPolicy: "Replace",
      suspend: true,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 0,
      jobTemplate: { metadata: { labels: { a: "b" } }, spec: JOB_SPEC },
    },
    status: RECORDED,
  },
  Job: {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      labels: { a: "b" },
      annotations: {
        "batch.tutorial.kubebuilder.io/scheduled-at": TIME,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": TIME,
        "cronjob-controller.dev/trigger": "1",
      },
    },
    spec: JOB_SPEC,
    status: {
      active: 1,
      ready: 0,
      succeeded: 1,
      failed: 1,
      startTime: TIME,
      completionTime: TIME,
      completedIndexes: "0",
      failedIndexes: "2",
      uncountedTerminatedPods: { succeeded: ["u"], failed: [] },
      conditions: [{ type: "Complete", status: "False", lastTransitionTime: TIME }],
    },
  },
  Pod: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      labels: { "batch.kubernetes.io/job-name": "x", "batch.kubernetes.io/job-completion-index": "0" },
      annotations: {
        "batch.kubernetes.io/job-completion-index": "0",
        "batch.kubernetes.io/job-index-failure-count": "0",
      },
    },
    spec: { ...POD_SPEC, nodeName: "n" },
    status: {
      phase: "Failed",
      reason: "R",
      startTime: TIME,
      conditions: [{ type: "DisruptionTarget", status: "True", lastTransitionTime: TIME }],
      containerStatuses: [{
        name: "a",
        restartCount: 1,
        state: { terminated: { exitCode: 1, finishedAt: TIME, startedAt: TIME } },
      }],
    },
  },
};

/** Where a text, a number or a time is wanted, one that no one thought of. */
const ODD_SCALARS = [
  "\u0000",
  "\ud800",
  "\u202e\u{1F4A3}",
  "x".repeat(70_000),
  "../../etc/passwd",
  "$(A)$(B)$$(A)",
  "a/b/c",
  "9999-12-31T23:59:59Z",
  "0000-01-01T00:00:00Z",
  "2026-02-30T25:61:00Z",
  "2026-03-01",
  "-1",
  "1e999",
  "0-999999999",
  "0,1,,2-1,x",
  "60 24 32 13 8",
  "0 0 31 2 *",
  "*/0 * * * *",
  "0-59/1,0-59/1,H(0-3)/2 * * * *",
  `${"0,".repeat(5_000)}0 * * * *`,
  "@every 0s",
  "@every 1ns",
  "@every 2562047h47m",
  "@reboot",
  "TZ=Mars/Phobos * * * * *",
  "CRON_TZ=UTC CRON_TZ=UTC 0 0 1 1 *",
  "Local",
  "Etc/../UTC",
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
];

const ODD_TREES = [
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": null, "toString": 1, "length": -1}'),
  nested(500),
  Array.from({ length: 1_000 }, () => null),
  Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i])),
  [[[]], {}, "", 0, false],
];

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

const ODD_KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "length",
  "then",
  "",
  "a/b",
  "\u0000",
  "x".repeat(300),
  "toJSON",
];

const EDIT: fc.Arbitrary<Edit> = fc.record({
  place: fc.nat(),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "add", "repeat", "nest", "borrow"),
  junk: fc.oneof(JUNK, fc.constantFrom<unknown>(...ODD_SCALARS), fc.constantFrom<unknown>(...ODD_TREES)),
  key: fc.constantFrom(...ODD_KEYS),
});

/** One odd object. Nothing is asked of it but that it is an object with `metadata`. */
export interface OddObject {
  readonly kind: OddKind;
  readonly object: Json & { metadata: Json };
}

/** The same objects for the same seed. What spoils an object so that it no longer `fits` is undone. */
export function oddObjects(
  seed: number,
  count: number,
  fits: (object: Json, kind: OddKind) => boolean = () => true,
): OddObject[] {
  const one = fc.tuple(fc.constantFrom(...ODD_KINDS), fc.array(EDIT, { minLength: 1, maxLength: 4 }));
  return fc.sample(one, { seed, numRuns: count }).map(([kind, edits]) => {
    let object = SOUND[kind];
    for (const edit of edits) {
      const edited = structuredClone(object);
      apply(edit, edited);
      if (fits(edited, kind)) object = edited;
    }
    return { kind, object: { ...object, metadata: isMap(object.metadata) ? object.metadata : {} } };
  });
}

/** A sound object: what is untouched beside the odd ones. */
export function soundObject(kind: OddKind): Json {
  return structuredClone(SOUND[kind]);
}

function apply({ place, how, junk, key }: Edit, object: Json): void {
  const places = placesOf(object);
  const [parent, at] = must(places[place % places.length]);
  const value = parent[at];
  const fresh = structuredClone(junk);
  switch (how) {
    case "replace":
      return define(parent, at, fresh);
    case "remove":
      if (Array.isArray(parent)) parent.splice(Number(at), 1);
      else delete parent[at];
      return;
    case "add":
      return define(isMap(value) ? value : object, key, fresh);
    case "repeat":
      if (Array.isArray(parent)) parent.push(structuredClone(value));
      else define(parent, at, [value, value]);
      return;
    case "nest":
      return define(parent, at, { [at]: value });
    case "borrow": {
      const [otherParent, otherAt] = must(places[(place * 31 + 7) % places.length]);
      return define(parent, at, structuredClone(otherParent[otherAt]));
    }
  }
}

/** As JSON.parse does: `__proto__` is a key like any other. */
function define(parent: Json, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

function placesOf(object: Json): [Json, string][] {
  const places: [Json, string][] = [];
  (function visit(value: unknown): void {
    if (!isTree(value) || places.length > 2_000) return;
    for (const key of Object.keys(value as Json)) {
      places.push([value as Json, key]);
      visit((value as Json)[key]);
    }
  })(object);
  return places;
}

function isTree(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isMap(value: unknown): value is Json {
  return isTree(value) && !Array.isArray(value);
}
