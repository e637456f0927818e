import { assertEquals } from "@std/assert";
import type { Pod } from "../../src/kube/resource.ts";
import { readPod } from "../../src/view/pod_facts.ts";
import type { RunView } from "../../src/view/cron_job_view.ts";
import { whyFailed, whyPending } from "../../src/view/pods.ts";
import { BATCH, world } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const DONE = { terminated: { exitCode: 0, reason: "Completed" } };
const RUNNING = { running: { startedAt: "2026-03-10T09:00:00Z" } };
const UNPULLABLE = { waiting: { reason: "ImagePullBackOff" } };
const INITIALIZING = { waiting: { reason: "PodInitializing" } };

type Row = readonly [sentence: string, init: unknown, main: unknown, hasStarted: boolean, waiting: string | undefined];

const ROWS: readonly Row[] = [
  [
    "an image that cannot be pulled, behind an init container that has ended",
    DONE,
    UNPULLABLE,
    false,
    "ImagePullBackOff",
  ],
  ["an image that cannot be pulled, beside a sidecar that runs", RUNNING, UNPULLABLE, false, "ImagePullBackOff"],
  ["an init container that runs", RUNNING, INITIALIZING, true, undefined],
  ["an init container that has ended", DONE, INITIALIZING, false, undefined],
  ["a container that runs", DONE, RUNNING, true, undefined],
  ["nothing that is known yet", undefined, undefined, false, undefined],
];

table("a Pod has started when a container has, whatever was before it", ROWS, (init, main, hasStarted, waiting) => {
  const pod = {
    metadata: { name: "x" },
    status: {
      phase: "Pending",
      initContainerStatuses: init && [{ name: "init", state: init }],
      containerStatuses: main && [{ name: "main", state: main }],
    },
  } as unknown as Pod;
  const facts = readPod(pod);
  assertEquals([facts.hasStarted, facts.waiting?.reason], [hasStarted, waiting]);
});

table("a Pod is over when its phase says so, whatever its container did", [
  ["a container that is started again", "Running", false],
  ["a Pod that succeeded", "Succeeded", true],
  ["a Pod that failed", "Failed", true],
], (phase: string, isOver: boolean) => {
  const status = { phase, containerStatuses: [{ name: "main", state: DONE }] };
  assertEquals(readPod({ metadata: { name: "x" }, status } as unknown as Pod).isOver, isOver);
});

test("of the containers of a Pod that succeeded, the end of the one with a message is its own", () => {
  const end = { exitCode: 0, reason: "Completed", message: "rows: 4" };
  const containerStatuses = [{ name: "sidecar", state: DONE }, { name: "main", state: { terminated: end } }];
  const pod = { metadata: { name: "x" }, status: { phase: "Succeeded", containerStatuses } } as unknown as Pod;
  assertEquals(readPod(pod).success, { container: "main", ...end });
});

const KILLED = { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: "2026-03-10T09:01:00Z" } };
const CRASHED = {
  state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
  lastState: { terminated: { exitCode: 3, reason: "Error", message: "no such table\n" } },
};
const UNSCHEDULED = {
  type: "PodScheduled",
  status: "False",
  reason: "Unschedulable",
  message: "0/3 nodes are available: 3 Insufficient memory.",
};
const PREEMPTED = {
  type: "DisruptionTarget",
  status: "True",
  reason: "PreemptionByScheduler",
  message: "by a greater",
};

/** What is wrong with a Pod, in the words of views: why it gets nowhere, or why it failed. */
const WRONG: readonly (readonly [sentence: string, status: unknown, pending: string, failed: string])[] = [
  [
    "no node has room",
    { phase: "Pending", conditions: [UNSCHEDULED] },
    'its Pod has not started: Unschedulable: "0/3 nodes are available: 3 Insufficient memory."',
    "the run failed",
  ],
  [
    "an image that cannot be pulled",
    { phase: "Pending", containerStatuses: [{ name: "main", state: { waiting: { reason: "ErrImagePull" } } }] },
    "its Pod has not started: ErrImagePull",
    "the run failed",
  ],
  [
    "a Secret that is not there",
    {
      phase: "Pending",
      containerStatuses: [{
        name: "main",
        state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "db" not found' } },
      }],
    },
    'its Pod has not started: CreateContainerConfigError: secret "db" not found',
    "the run failed",
  ],
  [
    "a volume that cannot be filled",
    {
      phase: "Pending",
      containerStatuses: [{
        name: "main",
        state: { waiting: { reason: "ContainerCreating", message: 'configmap "conf" not found' } },
      }],
    },
    'its Pod has not started: ContainerCreating: configmap "conf" not found',
    "the run failed",
  ],
  [
    "a container that ends again and again",
    { phase: "Running", containerStatuses: [{ name: "main", ...CRASHED }] },
    "its container main ends and is started again and again (CrashLoopBackOff): exit 3: no such table",
    "exit 3: no such table",
  ],
  [
    "an init container that ends again and again",
    {
      phase: "Pending",
      initContainerStatuses: [{ name: "migrate", ...CRASHED }],
      containerStatuses: [{ name: "main", state: INITIALIZING }],
    },
    "its init container migrate ends and is started again and again (CrashLoopBackOff): exit 3: no such table",
    "init container migrate: exit 3: no such table",
  ],
  [
    "a container that ended, whose image cannot be pulled again",
    {
      phase: "Running",
      containerStatuses: [{ name: "main", state: UNPULLABLE, lastState: CRASHED.lastState }],
    },
    "its container main ended (exit 3: no such table), and waits to be started again: ImagePullBackOff",
    "exit 3: no such table",
  ],
  [
    "an image that cannot be pulled beside a container that runs",
    {
      phase: "Running",
      containerStatuses: [{ name: "main", state: RUNNING }, { name: "beside", state: UNPULLABLE }],
    },
    "its container beside waits: ImagePullBackOff",
    "the run failed",
  ],
  [
    "a container that was killed for its memory",
    { phase: "Failed", containerStatuses: [{ name: "main", state: KILLED }] },
    "no Pod of it has been ready yet",
    "OOMKilled (exit 137)",
  ],
  [
    "an eviction",
    { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
    'its Pod has not started: Evicted: "The node was low on resource: memory."',
    "Evicted: The node was low on resource: memory.",
  ],
  [
    "a preemption",
    { phase: "Failed", conditions: [PREEMPTED], containerStatuses: [{ name: "main", state: KILLED }] },
    "no Pod of it has been ready yet",
    "PreemptionByScheduler (exit 137): by a greater",
  ],
  [
    "a node that refuses it",
    { phase: "Failed", reason: "OutOfcpu", message: "Node didn't have enough resource: cpu" },
    `its Pod has not started: OutOfcpu: "Node didn't have enough resource: cpu"`,
    "OutOfcpu: Node didn't have enough resource: cpu",
  ],
  [
    "an init container that failed",
    {
      phase: "Failed",
      initContainerStatuses: [{ name: "migrate", state: { terminated: { exitCode: 2, reason: "Error" } } }],
      containerStatuses: [{ name: "main", state: INITIALIZING }],
    },
    "no Pod of it has been ready yet",
    "init container migrate: exit 2",
  ],
];

table("what is wrong with a Pod is named", WRONG, (status, pending, failed) => {
  const metadata = {
    name: "x",
    ownerReferences: [{ kind: "Job", uid: "uid of report-1773136800", controller: true }],
  };
  const { cronJob, jobs, now } = world(BATCH, {
    now: "10:30",
    jobs: [{ time: "10:00", name: "report-1773136800" }],
  });
  const input = { cronJob, jobs, now, pods: [readPod({ metadata, status } as unknown as Pod)] };
  assertEquals(whyPending(must(jobs[0]), input).message, pending);
  assertEquals(whyFailed({ job: "report-1773136800" } as RunView, input).message, failed);
});
