import { assertEquals } from "@std/assert";
import { remedyOf } from "../../src/cli/shared/remedies.ts";
import type { Action } from "../../src/view/cron_job_view.ts";
import type { PodFacts } from "../../src/view/pod_facts.ts";
import { viewOf } from "../../src/view/view_of.ts";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { type Given, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

interface Seen extends Given {
  pods?: PodFacts[];
}

const ADOPTED = { "cronjob-controller.dev/managed": "true" };
const FAILED: Seen = { now: "10:30", last: "10:00", jobs: [{ time: "10:00", name: "broken", state: "failed" }] };
const BUSY: Seen = {
  now: "10:30",
  last: "09:00",
  spec: { concurrencyPolicy: "Forbid" },
  jobs: [{ time: "09:00", name: "busy" }],
};

const STUCK: Seen = {
  ...BUSY,
  pods: [{
    name: "busy-x",
    jobUid: "uid of busy",
    createdAt: undefined,
    hasStarted: false,
    waiting: { reason: "ImagePullBackOff", message: undefined },
    failure: undefined,
  }],
};

const ROWS: readonly (readonly [sentence: string, api: Flavour, seen: Seen, ...remedies: string[]])[] = [
  [
    "a suspended batch/v1 CronJob is patched",
    BATCH,
    { now: "10:30", spec: { suspend: true } },
    `kubectl patch cronjobs.batch/NAME -n NAMESPACE --type merge -p '{"spec":{"suspend":false}}'`,
  ],
  [
    "a paused adopted one stays suspended for kube-controller-manager",
    BATCH,
    { now: "10:30", spec: { suspend: true }, annotations: { ...ADOPTED, "cronjob-controller.dev/suspend": "true" } },
    "kubectl annotate cronjobs.batch/NAME -n NAMESPACE --overwrite cronjob-controller.dev/suspend-",
  ],
  [
    "a batch/v1 CronJob that another controller may run gets a Job of its own",
    BATCH,
    FAILED,
    "kubectl logs job/broken -n NAMESPACE",
    "kubectl create job --from=cronjob/NAME NAME-manual-$(date +%s) -n NAMESPACE",
  ],
  [
    "an adopted one is triggered by its annotation",
    BATCH,
    { ...FAILED, spec: { suspend: true }, annotations: ADOPTED },
    "kubectl logs job/broken -n NAMESPACE",
    'kubectl annotate cronjobs.batch/NAME -n NAMESPACE --overwrite cronjob-controller.dev/trigger="$(date)"',
  ],
  ["a run that only takes long is waited for", TUTORIAL, BUSY, "wait for the end of busy"],
  [
    "a run that is stuck is deleted, and a timeout is proposed to who understands it",
    TUTORIAL,
    STUCK,
    "kubectl delete job busy -n NAMESPACE",
    "for ever: spec.pendingTimeoutSeconds: 900",
  ],
  [
    "kube-controller-manager knows no such timeout",
    BATCH,
    STUCK,
    "kubectl delete job busy -n NAMESPACE",
  ],
];

test("each remedy is right for who runs the CronJob", async (context) => {
  for (const [sentence, api, { pods, ...given }, ...remedies] of ROWS) {
    await context.step(sentence, () => {
      const { cronJob, jobs, now } = world(api, given);
      const { apiVersion, actions } = viewOf({ cronJob, jobs, pods, now });
      const about = { apiVersion, namespace: "NAMESPACE", name: "NAME" };
      assertEquals(actions.map((action) => remedyOf(action, about)), remedies);
    });
  }
});

test("a Job by hand has a name that a Job may have", () => {
  const action: Action = { do: "RunNow", by: "Job" };
  const remedy = remedyOf(action, { apiVersion: "batch/v1", namespace: "default", name: "n".repeat(52) });
  const [, name] = /(n+-manual-)/.exec(remedy.split(" ")[4])!;
  assertEquals(name.length + "1800000000".length, 63);
});
