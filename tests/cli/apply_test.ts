import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ManifestFolder } from "../../src/applied_files/folder.ts";
import { SourcesFollower } from "../../src/applied_files/follower.ts";
import type { FileNews } from "../../src/applied_files/news.ts";
import type { ManifestObject } from "../../src/applied_files/source.ts";
import { formatFileNews } from "../../src/cli/standalone/console.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { cronJobChecks } from "../../src/cli/standalone/cron_job_rules.ts";
import { applyManifests, readManifestsToApply } from "../../src/cli/standalone/apply.ts";
import { refusalReasons } from "../../src/cli/standalone/refusal_reasons.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { temporaryFolder } from "../support/program.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const REASONS = refusalReasons(new FakeClock(Date.parse("2026-11-23T12:00:00Z")));

function manifest(apiVersion: string, kind: string) {
  const position = () => ({ line: 1, column: 1 });
  return { file: "a.yaml", object: { apiVersion, kind, metadata: { name: "a" } }, position };
}

test("applyManifests says which kind the server does not know, and in which file", async () => {
  await using api = await startTestApiServer();
  assertEquals(
    await applyManifests(api.client, [manifest("v1", "ConfigMap"), manifest("v1", "ConfigMap")], REASONS),
    2,
  );
  for (const [apiVersion, kind] of [["apps/v1", "Deployment"], ["batch/v9", "Job"], ["v1", "Pot"]] as const) {
    await assertRejects(
      () => applyManifests(api.client, [manifest(apiVersion, kind)], REASONS),
      ConfigError,
      `Cannot apply ${kind} a of a.yaml: the server knows no kind ${kind} in ${apiVersion}`,
    );
  }
});

test("readManifestsToApply() names the file and the fault", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/f.yaml`;
  const faults: [text: string, message: string][] = [
    ["a: [", `Cannot read manifest ${file}: `],
    ["kind: Pod", "every document needs apiVersion and kind"],
    ["just text", "every document needs apiVersion and kind"],
    ["apiVersion: v1\nkind: Pod", "the Pod needs metadata.name"],
  ];
  for (const [text, message] of faults) {
    await Deno.writeTextFile(file, text);
    const error = await assertRejects(() => readManifestsToApply([file]), ConfigError, message);
    assertEquals(error.message.includes("\n"), false);
  }
});

const CRON_JOB = `apiVersion: cronjob-controller.dev/v1
kind: CronJob
metadata: {name: a}
spec:
  schedule: "0 2 * * *"
  concurrencyPolicy: Forbid
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: m, image: b}]}}}}
`;

const definition = {
  file: "",
  object: definitionOf(PRODUCTION) as ManifestObject,
  position: () => ({ line: 1, column: 1 }),
};

const REFUSED: readonly (readonly [replaced: string, by: string, why: readonly string[]])[] = [
  ["0 2 * * *", "* * *", [
    '5:13: CronJob a: spec.schedule: schedule "* * *": has 3 fields; must be five fields, ' +
    '"minute hour day-of-month month day-of-week", or a descriptor such as @daily',
  ]],
  ["0 2 * * *", "61 2 * * *", ['5:13: CronJob a: spec.schedule: minute "61": must be 0-59']],
  ["concurrencyPolicy: Forbid", "concurencyPolicy: Forbid\n  startingDeadlineSeconds: '60'", [
    "6:21: CronJob a: spec.concurencyPolicy: there is no such field: did you mean concurrencyPolicy?",
    '7:28: CronJob a: spec.startingDeadlineSeconds: cannot be "60": must be a whole number, without quotes',
  ]],
  ["Forbid", "Never", [
    '6:22: CronJob a: spec.concurrencyPolicy: Unsupported value: "Never": must be one of "Allow", "Forbid", "Replace", "Queue"',
  ]],
  // Schedules and exclusions are judged last: the exclusion is not why.
  [
    "metadata: {name: a}\nspec:",
    "metadata: {name: a, managedFields: []}\nspec:\n  exclude: [{from: '2026-12-25', to: '2026-12-01'}]",
    ["3:18: CronJob a: metadata.managedFields must be nil"],
  ],
  ["metadata: {name: a}", "metadata: {name: a, namespace: none}", [
    '3:18: CronJob none/a: namespaces "none" not found',
  ]],
];

for (const [replaced, by, why] of REFUSED) {
  test(`what the server refuses is said as lint says it, where it stands: ${by}`, async () => {
    await using api = await startTestApiServer({ checks: cronJobChecks([PRODUCTION]) });
    await using folder = await temporaryFolder();
    await applyManifests(api.client, [definition], REASONS);
    const file = `${folder.path}/a.yaml`;
    await Deno.writeTextFile(file, CRON_JOB.replace(replaced, by));
    const said: string[] = [];
    const report = (news: FileNews) => void said.push(formatFileNews(news));
    const shared = { client: api.client, report, reasonsOf: REASONS };
    await new SourcesFollower([new ManifestFolder(folder.path)], shared).look();
    assertEquals(said, why.map((each) => `refused    ${file}:${each}`));

    const manifests = await readManifestsToApply([file]);
    const error = await assertRejects(() => applyManifests(api.client, manifests, REASONS), ConfigError);
    const [first = ""] = why;
    assertStringIncludes(error.message, first.replace(/^[\d:]+ CronJob \S+: /, ""));
  });
}
