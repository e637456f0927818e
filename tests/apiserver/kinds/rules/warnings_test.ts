import { assertEquals, assertMatch } from "@std/assert";
import { CRON_JOBS } from "../../../../src/apiserver/kinds/cron_job.ts";
import { JOBS } from "../../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import { must } from "../../../support/expected.ts";
import { test } from "../../../support/test.ts";
import { made } from "../../support/made.ts";

const variable = (name: string, value: string) => ({ name, value });
const specOf = (...env: ReturnType<typeof variable>[]) => ({
  restartPolicy: "Never",
  containers: [{ name: "a", image: "i", env }],
});
const TWICE = specOf(variable("A", "1"), variable("A", "2"));

test("a variable that hides an earlier one is warned of, unless it builds on it", () => {
  const warnings = (spec: ReturnType<typeof specOf>) => PODS.warnings(made(PODS, { spec }), undefined);
  const twice = made(PODS, { spec: TWICE });
  assertEquals(PODS.warnings(twice, twice), []);
  assertEquals(warnings(specOf(variable("A", "1"), variable("A", "$(A):2"))), []);
  const [warning, ...others] = warnings(TWICE);
  assertMatch(must(warning), /^spec\.containers\[0\]\.env\[1\]: hides previous definition of "A"/);
  assertEquals(others, []);
});

test("a template is warned of as its Pods are, at its own place, and a name with dots once", () => {
  const template = { spec: TWICE }, metadata = { name: "a.b" };
  const job = made(JOBS, { metadata, spec: { template } });
  const cronJob = made(CRON_JOBS, { metadata, spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } });
  const places = (warnings: readonly string[]) => warnings.map((warning) => warning.replace(/: .*/s, ""));
  const variableIn = (path: string) => `${path}.spec.containers[0].env[1]`;
  assertEquals(places(JOBS.warnings(job, undefined)), ["metadata.name", variableIn("spec.template")]);
  assertEquals(places(JOBS.warnings(job, job)), [variableIn("spec.template")]);
  assertEquals(places(CRON_JOBS.warnings(cronJob, undefined)), [
    "metadata.name",
    variableIn("spec.jobTemplate.spec.template"),
  ]);
});
