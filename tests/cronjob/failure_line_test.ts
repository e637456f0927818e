import { assertEquals } from "@std/assert";
import { failureLine, type JobFailure } from "../../src/cronjob/api/failure_line.ts";
import { type ContainerEnd, exitLine } from "../../src/runtime/exit_line.ts";
import { test } from "../support/test.ts";

const JOBS: readonly [failure: JobFailure, line: string][] = [
  [
    { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit: exit 3: no such table" },
    "exit 3: no such table",
  ],
  [{ reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" }, "its Pods failed"],
  [
    {
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline: pod work-x waits: ImagePullBackOff",
    },
    "took longer than activeDeadlineSeconds: pod work-x waits: ImagePullBackOff",
  ],
  [
    { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" },
    "took longer than activeDeadlineSeconds",
  ],
  [
    { reason: "PodFailurePolicy", message: "Container a failed with exit code 3" },
    "Container a failed with exit code 3",
  ],
  [{ reason: "SomeoneElse" }, "SomeoneElse"],
  [{ reason: "constructor" }, "constructor"],
  [{}, "the run failed"],
];

for (const [failure, line] of JOBS) {
  test(`a failed Job is one short line: ${line}`, () => assertEquals(failureLine(failure), line));
}

const CONTAINERS: readonly [end: ContainerEnd, line: string][] = [
  [{ exitCode: 3, reason: "Error", message: "a\nno such table\n" }, "exit 3: no such table"],
  [{ exitCode: 127 }, "exit 127, command not found"],
  [{ exitCode: 127, message: "sh: nope: not found" }, "exit 127: sh: nope: not found"],
  [{ exitCode: 137, reason: "OOMKilled" }, "OOMKilled (exit 137)"],
  [{ exitCode: 137, reason: "Error" }, "exit 137, killed by SIGKILL"],
  [
    { exitCode: undefined, reason: "Evicted", message: "The node was low on memory" },
    "Evicted: The node was low on memory",
  ],
  [{ exitCode: 1, initContainer: "migrate" }, "init container migrate: exit 1"],
];

for (const [end, line] of CONTAINERS) {
  test(`a container's end is one short line: ${line}`, () => assertEquals(exitLine(end), line));
}
