import { assertEquals } from "@std/assert";
import type { ContainerState, PodStatus } from "kubernetes-types/core/v1";
import { lastFailureIn, waitIn } from "../../src/job/decision/pod_trouble.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";
import { present } from "../support/present.ts";

/** A Pod `work-x` whose container `main` is in these states. */
function pod(
  states: { state?: ContainerState; lastState?: ContainerState; init?: ContainerState },
  status?: PodStatus,
) {
  const of = (name: string, state?: ContainerState, lastState?: ContainerState) => ({ name, state, lastState });
  return {
    metadata: { name: "work-x" },
    status: {
      phase: "Pending",
      ...states.init && { initContainerStatuses: [of("prepare", states.init)] },
      containerStatuses: [of("main", states.state, states.lastState)],
      ...status,
    },
  } as Pod;
}

function exit(exitCode: number, message?: string, finishedAt = "2026-01-01T00:00:00Z"): ContainerState {
  return { terminated: present({ exitCode, message, finishedAt }) };
}

function waiting(reason: string, message?: string): ContainerState {
  return { waiting: present({ reason, message }) };
}

const FAILURES: Record<string, [pods: Pod[], text: string | undefined]> = {
  "no Pod": [[], undefined],
  "a success": [[pod({ state: exit(0, "done") })], undefined],
  "an exit code": [[pod({ state: exit(3) })], "exit 3"],
  "the last line that says something": [
    [pod({ state: exit(1, "a\nno such table\r\n\n") })],
    "exit 1: no such table",
  ],
  "no colours": [
    [pod({ state: exit(1, "\x1b[31mno\x1b[0m\ttable\x07") })],
    "exit 1: no  table",
  ],
  "a line that is too long, cut": [
    [pod({ state: exit(1, "é".repeat(201)) })],
    `exit 1: ${"é".repeat(200)}…`,
  ],
  "the run before this one": [
    [pod({ state: waiting("CrashLoopBackOff"), lastState: exit(2) })],
    "exit 2",
  ],
  "an init container": [[pod({ init: exit(4) })], "init container prepare: exit 4"],
  "the latest of several": [
    [pod({ state: exit(1, "", "2026-01-01T00:00:02Z") }), pod({ state: exit(2, "", "2026-01-01T00:00:01Z") })],
    "exit 1",
  ],
};

for (const [name, [pods, text]] of Object.entries(FAILURES)) {
  test(`of a Job's failure its Pods say ${name}`, () => assertEquals(lastFailureIn(pods), text));
}

const UNSCHEDULED: PodStatus = {
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available" }],
  containerStatuses: [],
};

const WAITS: Record<string, [pods: Pod[], text: string | undefined]> = {
  "nothing of one that runs": [[pod({ state: { running: {} } }, { phase: "Running" })], undefined],
  "that no node takes it": [[pod({}, UNSCHEDULED)], "pod work-x waits: Unschedulable: 0/1 nodes are available"],
  "that its image can't be pulled": [
    [pod({ state: waiting("ImagePullBackOff", 'Back-off pulling image "nope"') })],
    'pod work-x waits: ImagePullBackOff: Back-off pulling image "nope"',
  ],
  "which Secret is missing, of the container that knows": [
    [pod({ init: waiting("CreateContainerConfigError", 'secret "a" not found'), state: waiting("PodInitializing") })],
    'pod work-x waits: CreateContainerConfigError: secret "a" not found',
  ],
  "at least how far it has come": [
    [pod({ state: waiting("ContainerCreating") })],
    "pod work-x waits: ContainerCreating",
  ],
};

for (const [name, [pods, text]] of Object.entries(WAITS)) {
  test(`of a Pod that does not start ${name} is shown`, () => assertEquals(waitIn(pods), text));
}
