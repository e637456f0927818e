import { assertEquals } from "@std/assert";
import { remedyOf } from "../../src/view/remedies.ts";
import type { PodFacts } from "../../src/view/pod_facts.ts";
import { asRun, UNSEEN } from "../../src/view/runner.ts";
import { viewOf } from "../../src/view/view_of.ts";
import { BACKFILL, PAUSE } from "../../src/cronjob/api/annotations.ts";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { backfillJobName } from "../../src/cronjob/api/job_name.ts";
import { at, type Given, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { waitingPod } from "./support/facts.ts";

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
  pods: [waitingPod("busy", "ImagePullBackOff", "")],
};

const PAST = backfillJobName({ name: "report", uid: "cronjob-uid" }, TUTORIAL, { id: "x", scheduledTime: at("05:00") });

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
    "one that failed is run again",
    BATCH,
    FAILED,
    "kubectl logs job/broken -n NAMESPACE",
    "cronjob-controller trigger NAME -n NAMESPACE",
  ],
  [
    "one that a user paused is resumed in their name",
    TUTORIAL,
    { now: "10:30", annotations: { [PAUSE]: '{"by":"ana"}' } },
    "cronjob-controller resume NAME -n NAMESPACE --by ana",
  ],
  [
    "a name that a shell would read otherwise is quoted",
    TUTORIAL,
    { now: "10:30", annotations: { [PAUSE]: '{"by":"x; rm it\'s"}' } },
    "cronjob-controller resume NAME -n NAMESPACE --by 'x; rm it'\\''s'",
  ],
  [
    "one that a user paused by suspending it too",
    BATCH,
    { now: "10:30", spec: { suspend: true }, annotations: { [PAUSE]: '{"by":"ana","suspends":true}' } },
    "cronjob-controller resume NAME -n NAMESPACE --by ana",
  ],
  [
    "a pause in the spec ends there",
    TUTORIAL,
    { now: "10:30", spec: { pause: {} } },
    `kubectl patch tcj/NAME -n NAMESPACE --type merge -p '{"spec":{"pause":null}}'`,
  ],
  [
    "a pause that cannot be read is corrected",
    TUTORIAL,
    { now: "10:30", annotations: { [PAUSE]: "yes" } },
    "kubectl annotate tcj/NAME -n NAMESPACE --overwrite cronjob-controller.dev/pause-",
  ],
  [
    "an unknown word in managed is corrected, as release gives back only what is adopted",
    BATCH,
    { now: "10:30", spec: { suspend: true }, annotations: { "cronjob-controller.dev/managed": "True" } },
    "kubectl annotate cronjobs.batch/NAME -n NAMESPACE --overwrite cronjob-controller.dev/managed=true",
  ],
  [
    "a run that only takes long is waited for, or deleted",
    TUTORIAL,
    BUSY,
    "wait for the end of busy",
    "kubectl delete job busy -n NAMESPACE",
  ],
  [
    "a run that is stuck is deleted, and a timeout is proposed to who understands it",
    TUTORIAL,
    STUCK,
    "correct the image in the template: kubectl edit tcj/NAME -n NAMESPACE",
    "kubectl delete job busy -n NAMESPACE",
    `kubectl patch tcj/NAME -n NAMESPACE --type merge -p '{"spec":{"pendingTimeoutSeconds":900}}'`,
  ],
  [
    "a back-fill's run that is stuck holds nothing back",
    TUTORIAL,
    {
      ...STUCK,
      jobs: [...BUSY.jobs!, { time: "05:00", name: PAST, annotations: { [BACKFILL]: "x" } }],
      pods: [{ ...STUCK.pods![0]!, jobUid: `uid of ${PAST}` }],
    },
    "wait for the end of busy",
    "kubectl delete job busy -n NAMESPACE",
  ],
  [
    "of a failed run whose Job is gone there is no log",
    TUTORIAL,
    {
      now: "10:30",
      last: "10:00",
      status: {
        counts: { succeeded: 0, failed: 1, missed: 0, skipped: 0, consecutiveFailures: 1 },
        recentRuns: [{
          scheduledTime: "2026-03-10T10:00:00Z",
          trigger: "Schedule",
          outcome: "Failed",
          jobName: "gone",
          startTime: "2026-03-10T10:00:00Z",
          endTime: "2026-03-10T10:01:00Z",
        }],
      },
    },
    "cronjob-controller trigger NAME -n NAMESPACE",
  ],
  [
    "no edit helps against a name that is too long",
    TUTORIAL,
    { now: "10:30", name: "n".repeat(60) },
  ],
  [
    "a spec that cannot be followed is edited",
    TUTORIAL,
    { now: "10:30", schedule: "61 * * * *" },
    "kubectl edit tcj/NAME -n NAMESPACE",
  ],
  [
    "so many missed runs are ended by a deadline",
    TUTORIAL,
    { schedule: "* * * * *", now: "12:30", last: "09:00", created: "08:30" },
    `kubectl patch tcj/NAME -n NAMESPACE --type merge -p '{"spec":{"startingDeadlineSeconds":600}}'`,
  ],
  [
    "kube-controller-manager knows no such timeout",
    BATCH,
    STUCK,
    "correct the image in the template: kubectl edit cronjobs.batch/NAME -n NAMESPACE",
    "kubectl delete job busy -n NAMESPACE",
  ],
];

table("each remedy is right for who runs the CronJob", ROWS, (api, { pods, ...given }, ...remedies) => {
  const { cronJob, jobs, now } = world(api, given);
  const { apiVersion, actions } = viewOf({ ...asRun(cronJob, UNSEEN, now), jobs, pods, now });
  const about = { apiVersion, namespace: "NAMESPACE", name: "NAME" };
  assertEquals(actions.map((action) => remedyOf(action, about)), remedies);
});
