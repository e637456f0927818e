import { assertEquals } from "@std/assert";
import type { Pod } from "../../src/kube/resource.ts";
import { readPod } from "../../src/view/pod_facts.ts";
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
];

test("a Pod has started when a container has, whatever was before it", async (context) => {
  for (const [sentence, init, main, hasStarted, waiting] of ROWS) {
    await context.step(sentence, () => {
      const pod = {
        metadata: { name: "x" },
        status: {
          phase: "Pending",
          initContainerStatuses: [{ name: "init", state: init }],
          containerStatuses: [{ name: "main", state: main }],
        },
      } as unknown as Pod;
      const facts = readPod(pod);
      assertEquals([facts.hasStarted, facts.waiting?.reason], [hasStarted, waiting]);
    });
  }
});
