import { assertEquals, assertMatch } from "@std/assert";
import { DEPLOY } from "../../deploy/write.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { kubectl, kubectlOk } from "../support/program.ts";
import { test } from "../support/test.ts";
import { yamlOf } from "../../src/manifests/yaml.ts";
import { kustomize } from "./support/kustomize.ts";
import { cronJobOf } from "../support/cron_job.ts";

const SAMPLES = new URL("samples", DEPLOY).pathname;
const STRICT = ["--validate=strict"];

function cronJob(apiVersion: string, spec: Record<string, unknown>, name = "one") {
  return yamlOf(cronJobOf({ apiVersion }, { name, spec: { schedule: "0 0 1 1 *", ...spec } }));
}

test("kubectl applies the base's namespace, CRD and service account, then the samples, with strict validation", async () => {
  await using api = await startTestApiServer();
  const { kubeconfigPath } = api.server;
  const kinds = await kubectlOk(kubeconfigPath, ["api-resources", "--no-headers", "--verbs=create"]);
  const known = kinds.trim().split("\n").map((line) => line.split(/\s+/).at(-1));
  const objects = await kustomize(new URL("base", DEPLOY).pathname);
  const applied = objects.filter(({ kind }) => known.includes(kind));
  // All others are of kinds that only a cluster has.
  assertEquals(applied.map(({ kind }) => kind), ["Namespace", "CustomResourceDefinition", "ServiceAccount"]);
  const apply = async (stdin: string) =>
    (await kubectlOk(kubeconfigPath, ["apply", ...STRICT, "-f", "-"], stdin)).trim();
  assertMatch(await apply(yamlOf(...applied)), /^(\S+ created\n?){3}$/);
  assertMatch(await apply(yamlOf(...applied)), /^(\S+ unchanged\n?){3}$/);
  await kubectlOk(kubeconfigPath, ["apply", "-k", new URL("crd/tutorial", DEPLOY).pathname]);
  for (const group of ["batch.tutorial.kubebuilder.io", "cronjob-controller.dev"]) {
    await kubectlOk(kubeconfigPath, ["wait", "--for=condition=Established", `crd/cronjobs.${group}`, "--timeout=120s"]);
  }

  const created = (await kubectlOk(kubeconfigPath, ["apply", ...STRICT, "-f", SAMPLES])).trim();
  assertEquals(created.split("\n").every((line) => line.endsWith(" created")), true, created);
  assertMatch(await kubectlOk(kubeconfigPath, ["apply", ...STRICT, "-f", SAMPLES]), /^(\S+ unchanged\n?)+$/);
  for (const apiVersion of ["batch.tutorial.kubebuilder.io/v1", "batch/v1"]) {
    const kind = apiVersion === "batch/v1" ? "cronjob.batch" : "cronjob.batch.tutorial.kubebuilder.io";
    assertEquals(await apply(cronJob(apiVersion, {})), `${kind}/one created`);
    assertEquals(await apply(cronJob(apiVersion, { suspend: true })), `${kind}/one configured`);
  }
});

test("the tutorial's CRD refuses what the tutorial's markers refuse, and nothing else of it", async () => {
  await using api = await startTestApiServer();
  const { kubeconfigPath } = api.server;
  await kubectlOk(kubeconfigPath, ["apply", "-k", new URL("crd/tutorial", DEPLOY).pathname]);
  await kubectlOk(kubeconfigPath, [
    "wait",
    "--for=condition=Established",
    "crd/cronjobs.batch.tutorial.kubebuilder.io",
    "--timeout=120s",
  ]);
  const refused: readonly [spec: Record<string, unknown>, RegExp][] = [
    [{ schedule: null }, /spec\.schedule: Required value/],
    [{ startingDeadlineSeconds: -1 }, /startingDeadlineSeconds: .*must be greater/],
    [{ successfulJobsHistoryLimit: -1 }, /successfulJobsHistoryLimit: .*must be greater/],
    [{ failedJobsHistoryLimit: -1 }, /failedJobsHistoryLimit: .*must be greater/],
    [{ concurrencyPolicy: "Sometimes" }, /concurrencyPolicy: Unsupported value: "Sometimes"/],
    [{ jobTemplate: null }, /spec\.jobTemplate: Required value/],
    [{ shedule: "" }, /unknown field "spec\.shedule"/],
  ];
  const sound = { schedule: "", startingDeadlineSeconds: 0, successfulJobsHistoryLimit: 0 };
  const given = [sound, ...refused.map(([spec]) => spec)];
  const stdin = given.map((spec, i) => cronJob("batch.tutorial.kubebuilder.io/v1", spec, `c${i}`)).join("---\n");
  const { stdout, stderr } = await kubectl(
    kubeconfigPath,
    ["create", ...STRICT, "--dry-run=server", "-f", "-"],
    stdin,
  );
  assertEquals(stdout.trim(), "cronjob.batch.tutorial.kubebuilder.io/c0 created (server dry run)");
  for (const [, refusal] of refused) assertMatch(stderr, refusal);
});
