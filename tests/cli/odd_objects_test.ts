import { assert, assertEquals, assertMatch } from "@std/assert";
import { kubeconfig } from "../support/kubeconfig.ts";
import { temporaryFolder } from "../support/program.ts";
import { serve } from "../support/serve.ts";
import { test } from "../support/test.ts";
import { runMain } from "./support/run_command.ts";

type Json = Record<string, unknown>;

/** What a server of another version, or with other ideas, might give for one field: of a CronJob, a Job, a Pod, an Event. */
interface Odd {
  readonly cronJob?: Json;
  readonly job?: Json;
  readonly pod?: Json;
  readonly event?: Json;
}

const NAMES = { namespace: "default", uid: "u" };

const CRON_JOB: Json = {
  metadata: { name: "sync", creationTimestamp: "2026-03-01T00:00:00Z", generation: 2, resourceVersion: "1", ...NAMES },
  spec: { schedule: "0 * * * *", jobTemplate: { spec: { template: { spec: {} } } } },
  status: { lastScheduleTime: "2026-03-10T10:00:00Z" },
};
const JOB: Json = {
  metadata: {
    ...NAMES,
    name: "sync-29552280",
    uid: "j",
    creationTimestamp: "2026-03-10T10:00:00Z",
    annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-03-10T10:00:00Z" },
    ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "sync", uid: "u", controller: true }],
  },
  spec: {},
  status: { active: 1, ready: 0, startTime: "2026-03-10T10:00:00Z" },
};
const POD: Json = {
  metadata: {
    ...NAMES,
    name: "sync-29552280-x",
    creationTimestamp: "2026-03-10T10:00:00Z",
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "sync-29552280", uid: "j", controller: true }],
  },
  spec: { containers: [] },
  status: { phase: "Pending" },
};
const EVENT: Json = {
  metadata: { ...NAMES, name: "sync.1" },
  involvedObject: { kind: "CronJob", name: "sync", uid: "u" },
  type: "Warning",
  reason: "FailedCreate",
  message: "Error creating job: exceeded quota",
  count: 1,
  firstTimestamp: "2026-03-10T10:00:00Z",
  lastTimestamp: "2026-03-10T10:00:00Z",
};

const SCHEDULED = { schedule: "0 * * * *" };

/** What is not known is complained of. */
const ROWS: readonly (readonly [sentence: string, odd: Odd, notKnown?: "not known"])[] = [
  ["nothing odd", {}],
  ["fields that no one knows", {
    cronJob: { spec: { ...SCHEDULED, jitter: { max: "5m" } }, status: { phase: "Green", runs: [1] } },
    job: { status: { phase: 3 } },
    pod: { status: { mood: "fine" } },
  }],
  ["a CronJob without a status", { cronJob: { status: null } }],
  ["lists that are null", {
    cronJob: { status: { active: null, conditions: null, recentRuns: null } },
    job: { status: { conditions: null } },
    pod: { status: { phase: "Pending", conditions: null, containerStatuses: null, initContainerStatuses: null } },
  }],
  ["metadata that is null", {
    cronJob: { metadata: { ...CRON_JOB.metadata as Json, annotations: null, labels: null, managedFields: null } },
    job: { metadata: { ...JOB.metadata as Json, ownerReferences: null, annotations: null } },
    pod: { metadata: { ...POD.metadata as Json, ownerReferences: null, labels: null } },
  }],
  ["a schedule that is a number", { cronJob: { spec: { schedule: 5 } } }],
  ["a schedule that is null", { cronJob: { spec: { schedule: null } } }],
  ["a spec that is null", { cronJob: { spec: null } }],
  ["a policy of the future", { cronJob: { spec: { ...SCHEDULED, concurrencyPolicy: "Merge" } } }],
  ["a zone that is not known", { cronJob: { spec: { ...SCHEDULED, timeZone: "Mars/Base" } } }],
  ["a deadline that is a text", { cronJob: { spec: { ...SCHEDULED, startingDeadlineSeconds: "soon" } } }, "not known"],
  ["a deadline that is null", { cronJob: { spec: { ...SCHEDULED, startingDeadlineSeconds: null, suspend: null } } }],
  ["limits that are below zero", { cronJob: { spec: { ...SCHEDULED, successfulJobsHistoryLimit: -1 } } }],
  ["times that are none", {
    cronJob: { status: { lastScheduleTime: "yesterday", lastSuccessfulTime: 7 } },
    job: { status: { startTime: "early", completionTime: "late", conditions: [{ type: "Complete", status: "True" }] } },
  }],
  ["a creation that has no time", {
    cronJob: { metadata: { ...CRON_JOB.metadata as Json, creationTimestamp: null } },
    job: { metadata: { ...JOB.metadata as Json, creationTimestamp: null } },
  }],
  ["conditions of the future", {
    job: { status: { ready: 0, conditions: [{ type: "Dreaming", status: "Perhaps" }, { type: "Failed" }] } },
  }],
  ["a container state of the future", {
    pod: { status: { phase: "Sleeping", containerStatuses: [{ name: "main", state: { asleep: {} } }] } },
  }],
  ["a container without a state", { pod: { status: { phase: "Pending", containerStatuses: [{ name: "main" }] } } }],
  ["a container that waits for nothing", {
    pod: { status: { phase: "Pending", containerStatuses: [{ name: "main", state: { waiting: {} } }] } },
  }],
  ["an end without an exit code", {
    pod: { status: { phase: "Failed", containerStatuses: [{ name: "main", state: { terminated: {} } }] } },
  }],
  ["a Pod without a status", { pod: { status: null } }],
  ["a Job without a status", { job: { status: null } }],
  ["a Job without a spec", { job: { spec: null } }],
  ["an Event about nothing", { event: { involvedObject: {} } }],
  ["an Event without words", { event: { reason: null, message: null, count: null, series: null } }],
  ["an Event without a time", { event: { firstTimestamp: null, lastTimestamp: null, eventTime: null } }],
];

const COMMANDS: readonly (readonly string[])[] = [
  ["status"],
  ["status", "-o", "wide"],
  ["status", "-o", "json"],
  ["status", "--check"],
  ["explain", "sync"],
  ["explain", "sync", "-o", "json"],
  ["explain", "sync", "--at", "2026-03-10T10:00:00Z"],
  ["history", "sync"],
  ["history", "sync", "-o", "json"],
  ["logs", "sync"],
];

/** Answers as an API server that has one object of each kind, whatever they look like. */
function answerOf({ cronJob, job, pod, event }: Odd, { url }: Request): Response {
  const { pathname } = new URL(url);
  if (pathname === "/apis/batch/v1") return Response.json({ resources: [{ name: "cronjobs" }] });
  const lists: Record<string, [kind: string, item: Json]> = {
    cronjobs: ["CronJobList", { ...CRON_JOB, ...cronJob }],
    jobs: ["JobList", { ...JOB, ...job }],
    pods: ["PodList", { ...POD, ...pod }],
    events: ["EventList", { ...EVENT, ...event }],
  };
  const [kind, item] = lists[pathname.split("/").at(-1)!] ?? [];
  if (kind) return Response.json({ kind, items: [item], metadata: { resourceVersion: "1" } });
  if (pathname === "/version") return Response.json({});
  return Response.json({ kind: "Status", code: 404, reason: "NotFound", message: "not found" }, { status: 404 });
}

test("every answer of a server is shown, or complained of in a sentence", async (context) => {
  let shown: Odd = {};
  await using server = serve((request) => answerOf(shown, request));
  await using folder = await temporaryFolder({ config: kubeconfig({ cluster: { server: server.url } }) });
  for (const [sentence, odd, notKnown] of ROWS) {
    await context.step(sentence, async () => {
      shown = odd;
      for (const args of COMMANDS) {
        const { exitCode: code, stdout, stderr } = await runMain([...args, "--kubeconfig", `${folder.path}/config`]);
        const said = `${args.join(" ")}: ${code}\n${stdout}\n${stderr}`;
        assert(!/TypeError|RangeError|undefined|NaN|Invalid Date|\[object/.test(stdout), said);
        if (notKnown) {
          assertMatch(stderr, /^cronjob-controller: Cannot say how CronJob default\/sync is, as a field of it .*$/);
          continue;
        }
        if (args[0] === "logs") continue;
        assertEquals(stderr, "", said);
        if (!args.includes("--check")) assert(code === 0 && stdout.includes(nameIn(args)), said);
      }
    });
  }
});

function nameIn([command]: readonly string[]): string {
  return command === "history" ? "" : "sync";
}
