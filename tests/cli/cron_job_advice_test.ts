import { assertEquals } from "@std/assert";
import type { ManifestObject } from "../../src/applied_files/source.ts";
import { applyManifests } from "../../src/cli/standalone/apply.ts";
import { cronJobAdvice } from "../../src/cli/standalone/cron_job_rules.ts";
import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { parseTime } from "../../src/base/epoch_ms.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { must } from "../support/expected.ts";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";

const NOW = parseTime("2026-01-15T12:00:00Z")!;
const ADVICE = cronJobAdvice(FLAVOURS);
const PREFIX = "cronjob-controller.dev/";
const template = {
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i", command: ["true"] }] } } },
};

interface Row {
  readonly flavour?: Flavour;
  readonly says: string;
  readonly spec?: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
  readonly advice: readonly string[];
}

const ROWS: readonly Row[] = [
  { says: "nothing of a schedule that is followed", advice: [] },
  {
    says: "that the schedule can't be read",
    spec: { schedule: "61 * * * *" },
    advice: ["UnparseableSchedule: spec.schedule: minute"],
  },
  {
    says: "that the zone is unknown",
    spec: { timeZone: "Mars/X" },
    advice: ['UnknownTimeZone: spec.timeZone: time-zone "Mars/X"'],
  },
  {
    says: "that no date matches",
    spec: { schedule: "0 0 30 2 *" },
    advice: ['InvalidSchedule: spec.schedule: "0 0 30 2 *" never comes: no year has 30 February'],
  },
  {
    says: "that an exclusion can't be read",
    spec: { exclude: [{ dates: ["2026-02-30"] }] },
    advice: ["InvalidExclusion: spec.exclude[0]"],
  },
  {
    says: "that everything is excluded",
    spec: { exclude: [{ schedule: "* * * * *", duration: "1h" }] },
    advice: ["Excluded: Every scheduled time to come is excluded"],
  },
  {
    says: "that it ends before it starts",
    spec: { startTime: "2026-03-01T00:00:00Z", endTime: "2026-02-01T00:00:00Z" },
    advice: ["NoScheduledTime: spec.startTime is after spec.endTime"],
  },
  { says: "nothing of one that a user suspended", spec: { schedule: "61 * * * *", suspend: true }, advice: [] },
  { flavour: BATCH, says: "nothing of what Kubernetes follows too", advice: [] },
  {
    flavour: BATCH,
    says: "which annotation can't be read",
    annotations: { [`${PREFIX}catch-up`]: "often" },
    advice: [`annotation ${PREFIX}catch-up: "often"`],
  },
  {
    flavour: BATCH,
    says: "that the schedule in an annotation can't be read",
    annotations: { [`${PREFIX}schedule`]: "61 * * * *" },
    advice: [`annotation ${PREFIX}schedule: "61 * * * *"`],
  },
  {
    flavour: BATCH,
    says: "once that exclusions in an annotation can't be read",
    annotations: { [`${PREFIX}exclude`]: '[{"dates":["2026-13-01"]}]' },
    advice: [`InvalidExclusion: annotation ${PREFIX}exclude cannot be read`],
  },
];

for (const { flavour = TUTORIAL, says, spec, annotations, advice } of ROWS) {
  test(`who writes a CronJob of ${flavour.apiVersion} hears ${says}`, () => {
    const heard = must(ADVICE[`${flavour.apiVersion} CronJob`])({
      metadata: {
        name: "report",
        namespace: "default",
        uid: "u",
        creationTimestamp: "2026-01-15T12:00:00Z",
        annotations,
      },
      spec: { schedule: "*/5 * * * *", jobTemplate: template, ...spec },
    }, NOW);
    assertEquals(heard.map((text, i) => text.slice(0, advice[i]?.length)), advice);
  });
}

const BY_OTHERS = { "cronjob-controller.dev/container-runtime": "podman" };

for (const flavour of FLAVOURS) {
  const name = flavour.apiVersion;
  test(`who writes a CronJob of ${name} hears which user its processes cannot have, and what to do`, () => {
    const spec = { ...template.spec.template.spec, securityContext: { runAsUser: 1000 } };
    const object = (annotations = {}) => ({
      metadata: { name: "report", namespace: "default", uid: "u" },
      spec: { schedule: "0 * * * *", jobTemplate: { spec: { template: { metadata: { annotations }, spec } } } },
    });
    const advice = (uid: number, annotations?: object) =>
      must(cronJobAdvice(FLAVOURS, { runtime: "process", self: { uid, gid: 0 } })[`${name} CronJob`])(
        object(annotations),
        NOW,
      );
    assertEquals(advice(0), [
      "its Pods cannot run here: NotAllowed: spec.securityContext.runAsUser 1000 is not possible: processes run as the " +
      "user who started the program (0:0); leave the field out, or have podman or docker run it (--container-runtime)",
    ]);
    assertEquals([advice(1000), advice(0, BY_OTHERS)], [[], []]);
    assertEquals(must(ADVICE[`${name} CronJob`])(object(), NOW), []);
  });
}

test("kubectl warns of a CronJob that can't be followed when it is applied or edited, not when its status is written", async () => {
  await using api = await startTestApiServer({ advice: ADVICE });
  const kubectl = new Kubectl(api.server.kubeconfigPath);
  const definition = {
    file: "",
    object: definitionOf(TUTORIAL) as ManifestObject,
    position: () => ({ line: 1, column: 1 }),
  };
  await applyManifests(api.client, [definition], () => Promise.resolve([]));
  const resource = "cronjobs.batch.tutorial.kubebuilder.io";
  const applied = await kubectl.run(["apply", "--server-side", "-f", "-"], {
    stdin: JSON.stringify({
      apiVersion: TUTORIAL.apiVersion,
      kind: "CronJob",
      metadata: { name: "report" },
      spec: { schedule: "0 2 * * *", timeZone: "Mars/X", jobTemplate: template },
    }),
  });
  const warning =
    'Warning: UnknownTimeZone: spec.timeZone: time-zone "Mars/X": must be a name of the tz database such as Europe/Berlin\n';
  assertEquals(applied.stderr, warning);
  const patch = (fields: unknown, ...more: string[]) =>
    kubectl.run(["patch", resource, "report", "--type=merge", "-p", JSON.stringify(fields), ...more]);
  assertEquals((await patch({ status: { lastTrigger: "x" } }, "--subresource=status")).stderr, "");
  assertEquals((await patch({ spec: { schedule: "0 3 * * *" } })).stderr, warning);
  assertEquals((await patch({ spec: { timeZone: "UTC" } })).stderr, "");
});
