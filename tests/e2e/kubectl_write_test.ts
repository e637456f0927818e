import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";
import { startApi } from "./support/api.ts";

const CRON_JOB = `
apiVersion: batch/v1
kind: CronJob
metadata: { name: report, labels: { app: x } }
spec:
  schedule: "*/5 * * * *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: OnFailure, containers: [{ name: main, image: busybox }] } } } }
`;

test("kubectl apply creates, leaves alone and changes", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const apply = (yaml: string) => kubectl.output(["apply", "-f", "-"], { stdin: yaml });
  assertEquals(await apply(CRON_JOB), "cronjob.batch/report created");
  assertEquals(await apply(CRON_JOB), "cronjob.batch/report unchanged");
  const daily = CRON_JOB.replace("*/5 * * * *", "@daily");
  const diff = await kubectl.run(["diff", "-f", "-"], { stdin: daily, codes: [1] });
  assertMatch(diff.stdout, /-\s+schedule: '?\*\/5 \* \* \* \*'?\n\+\s+schedule: '@daily'/);
  assertEquals(await apply(daily), "cronjob.batch/report configured");
  assertEquals(await kubectl.output(["get", "cj", "report", "-o", "jsonpath={.spec.schedule}"]), "@daily");
  assertEquals(await kubectl.output(["replace", "-f", "-"], { stdin: CRON_JOB }), "cronjob.batch/report replaced");
});

test("kubectl apply --server-side owns fields, and meets conflicts", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const apply = ["apply", "--server-side", "-f", "-"];
  assertEquals(await kubectl.output(apply, { stdin: CRON_JOB }), "cronjob.batch/report serverside-applied");
  await kubectl.run(["patch", "cj", "report", "--field-manager=other", "-p", '{"spec":{"schedule":"@hourly"}}']);
  const conflict = await kubectl.run(apply, { stdin: CRON_JOB, codes: [1] });
  assertStringIncludes(conflict.stderr, ".spec.schedule");
  assertEquals(
    await kubectl.output([...apply, "--force-conflicts"], { stdin: CRON_JOB }),
    "cronjob.batch/report serverside-applied",
  );
  const managers = await kubectl.output([
    "get",
    "cj",
    "report",
    "--show-managed-fields",
    "-o",
    "jsonpath={.metadata.managedFields[*].operation}",
  ]);
  assertStringIncludes(managers, "Apply");
});

test("kubectl patches, labels, annotates and edits", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  await kubectl.run(["apply", "-f", "-"], { stdin: CRON_JOB });
  const of = (path: string) => kubectl.output(["get", "cj", "report", "-o", `jsonpath={${path}}`]);
  await kubectl.run(["patch", "cronjob", "report", "--type", "merge", "-p", '{"spec":{"suspend":true}}']);
  assertEquals(await of(".spec.suspend"), "true");
  await kubectl.run(["patch", "cronjob", "report", "-p", '{"spec":{"suspend":false}}']);
  assertEquals(await of(".spec.suspend"), "false");
  const json = '[{"op":"replace","path":"/spec/schedule","value":"@weekly"}]';
  await kubectl.run(["patch", "cronjob", "report", "--type", "json", "-p", json]);
  assertEquals(await of(".spec.schedule"), "@weekly");
  assertEquals(await kubectl.output(["label", "cronjob", "report", "tier=x"]), "cronjob.batch/report labeled");
  assertEquals(await kubectl.output(["annotate", "cronjob", "report", "note=x"]), "cronjob.batch/report annotated");
  assertEquals([await of(".metadata.labels.tier"), await of(".metadata.annotations.note")], ["x", "x"]);
  const edit = { env: { EDITOR: "sed -i s/@weekly/@monthly/" } };
  assertEquals(await kubectl.output(["edit", "cronjob", "report"], edit), "cronjob.batch/report edited");
  assertEquals(await of(".spec.schedule"), "@monthly");
});

test("kubectl create sends protobuf for what it makes itself", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const create = (...args: string[]) => kubectl.output(["create", ...args]);
  assertEquals(await create("ns", "demo"), "namespace/demo created");
  assertEquals(await create("configmap", "settings", "--from-literal=k=v"), "configmap/settings created");
  assertEquals(await create("secret", "generic", "key", "--from-literal=k=v"), "secret/key created");
  assertEquals(await create("serviceaccount", "robot"), "serviceaccount/robot created");
  assertEquals(await create("job", "once", "--image=busybox", "--", "date"), "job.batch/once created");
  const cronJob = ["cronjob", "second", "--image=busybox", "--schedule=@daily", "--", "date"];
  assertEquals(await create(...cronJob), "cronjob.batch/second created");
  assertEquals(await create("job", "now", "--from=cronjob/second"), "job.batch/now created");
  assertEquals(await kubectl.output(["get", "cm", "settings", "-o", "jsonpath={.data.k}"]), "v");
  assertEquals(await kubectl.output(["get", "secret", "key", "-o", "jsonpath={.data.k}"]), btoa("v"));
  const command = "jsonpath={.spec.template.spec.containers[0].command}";
  assertEquals(await kubectl.output(["get", "job", "now", "-o", command]), '["date"]');
  const owner = "jsonpath={.metadata.ownerReferences[0].kind}";
  assertEquals(await kubectl.output(["get", "job", "now", "-o", owner]), "CronJob");
});

test("kubectl says what the server says about objects that cannot be", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const refused = async (yaml: string) => (await kubectl.run(["apply", "-f", "-"], { stdin: yaml, codes: [1] })).stderr;
  assertStringIncludes(await refused(CRON_JOB.replace("*/5 * * * *", "every day")), "spec.schedule: Invalid value");
  assertStringIncludes(await refused(CRON_JOB.replace("schedule:", "shedule:")), 'unknown field "spec.shedule"');
});

test("kubectl delete takes dependents along, or leaves them", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const make = async () => {
    await kubectl.run(["apply", "-f", "-"], { stdin: CRON_JOB });
    await kubectl.run(["create", "job", "now", "--from=cronjob/report"]);
  };
  for (const cascade of ["background", "foreground"]) {
    await make();
    await kubectl.run(["delete", "cronjob", "report", `--cascade=${cascade}`]);
    await kubectl.run(["wait", "--for=delete", "job/now", "--timeout=120s"]);
  }
  await make();
  await kubectl.run(["delete", "cronjob", "report", "--cascade=orphan"]);
  assertEquals(await kubectl.output(["get", "job", "now", "-o", "jsonpath={.metadata.ownerReferences}"]), "");
  // Newer versions of kubectl add the namespace.
  assertMatch(await kubectl.output(["delete", "jobs", "--all"]), /^job\.batch "now" deleted/);
  assertEquals(await kubectl.output(["delete", "cronjob", "second", "--wait=false", "--ignore-not-found"]), "");
  await kubectl.run(["create", "ns", "demo"]);
  await kubectl.run(["create", "configmap", "a", "-n", "demo"]);
  assertEquals(await kubectl.output(["delete", "ns", "demo"]), 'namespace "demo" deleted');
});

test("kubectl apply says of kinds that are not served that there is no such kind, and makes the others", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const deployment = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n---";
  for (const how of [[], ["--server-side"]]) {
    const applied = await kubectl.run(["apply", ...how, "-f", "-"], { stdin: deployment + CRON_JOB, codes: [1] });
    assertMatch(applied.stdout, /^cronjob.batch\/report (created|serverside-applied)\n$/);
    assertStringIncludes(applied.stderr, 'no matches for kind "Deployment" in version "apps/v1"');
  }
});

test("kubectl knows who asks and what they may", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  assertMatch(await kubectl.output(["auth", "whoami"]), /Username\s+\S+\nGroups\s+\[.*system:authenticated\]/);
  assertMatch(await kubectl.output(["auth", "can-i", "--list"]), /\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
  assertEquals(await kubectl.output(["auth", "can-i", "create", "cronjobs"]), "yes");
});

test("kubectl apply --prune takes away what a list of kinds names, and says which kinds there are none of", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const map = (name: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { app: x } }\n---\n`;
  await kubectl.run(["apply", "-f", "-"], { stdin: map("a") + map("b") });
  const prune = ["apply", "--prune", "-l", "app=x", "-f", "-"];
  const allowed = ["core/v1/ConfigMap", "core/v1/Secret", "core/v1/Pod", "batch/v1/Job", "batch/v1/CronJob"];
  const flags = allowed.map((kind) => `--prune-allowlist=${kind}`);
  const pruned = await kubectl.output([...prune, ...flags], { stdin: map("a") });
  assertEquals(pruned, "configmap/a unchanged\nconfigmap/b pruned");
  // kubectl's own list has kinds that are not served, and it wants them all.
  const { stdout, stderr } = await kubectl.run(prune, { stdin: map("c"), codes: [1] });
  assertStringIncludes(stdout, "configmap/c created");
  assertMatch(stderr, /error retrieving RESTMappings to prune: .*no matches for kind/);
});

test("kubectl apply --prune takes away what its ApplySet had, of kinds that are no longer named", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const objects = (name: string) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: ${name} }
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: i }] } } } }
---
`;
  const apply = ["apply", "--prune", "--applyset=configmap/set", "-f", "-"], env = { KUBECTL_APPLYSET: "true" };
  await kubectl.run(apply, { stdin: objects("a") + objects("b"), env });
  const pruned = await kubectl.output(apply, { stdin: objects("a"), env });
  assertEquals(pruned.split("\n").sort(), [
    "configmap/a unchanged",
    "configmap/b pruned",
    "cronjob.batch/a unchanged",
    "cronjob.batch/b pruned",
  ]);
});
