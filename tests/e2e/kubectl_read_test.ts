import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { PodLogSource } from "../../src/apiserver/pod_logs.ts";
import { must } from "../support/expected.ts";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";
import { type Api, startApi, startTestApi } from "./support/api.ts";
import { lines } from "../support/lines.ts";

const OBJECTS = `
apiVersion: batch/v1
kind: CronJob
metadata: { name: report, labels: { app: x } }
spec:
  schedule: "*/5 * * * *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: OnFailure, containers: [{ name: main, image: busybox }] } } } }
---
apiVersion: v1
kind: Pod
metadata: { name: p }
spec: { nodeName: here, containers: [{ name: main, image: busybox }] }
`;

/** kubectl finds Events by the UID of what they are about. */
const event = (uid: string) => `
apiVersion: v1
kind: Event
metadata: { name: report.1 }
involvedObject: { apiVersion: batch/v1, kind: CronJob, name: report, namespace: default, uid: ${uid} }
reason: SuccessfulCreate
message: Created job report-1
type: Normal
count: 1
`;

async function withObjects(
  body: (kubectl: Kubectl, api: Api) => Promise<void>,
  { podLogs }: { podLogs?: PodLogSource } = {},
): Promise<void> {
  // Logs that are made up can only be had of a server in this process.
  await using api = podLogs ? await startTestApi({ podLogs }) : await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  await kubectl.run(["create", "-f", "-"], { stdin: OBJECTS });
  await kubectl.run(["create", "job", "now", "--from=cronjob/report"]);
  const uid = await kubectl.output(["get", "cj", "report", "-o", "jsonpath={.metadata.uid}"]);
  await kubectl.run(["create", "-f", "-"], { stdin: event(uid) });
  await body(kubectl, api);
}

test("kubectl reads what there is", async (t) => {
  await withObjects(async (kubectl, api) => {
    await t.step("get prints tables", () => proveTables(kubectl));
    await t.step("get prints objects in the formats that are asked for", () => proveFormats(kubectl));
    await t.step("it explains, lists and asks what there is", () => proveQuestions(kubectl));
    await t.step("get -w shows changes as they come", () => proveWatching(kubectl));
    // After that the CronJob is suspended.
    await t.step("describe, events and wait follow what belongs together", () => proveThatItFollows(kubectl, api));
  });
});

async function proveTables(kubectl: Kubectl): Promise<void> {
  assertMatch(
    await kubectl.output(["get", "cronjobs"]),
    /^NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE\nreport +\*\/5 \* \* \* \* +<none> +False +0 +<none> +\d+s$/,
  );
  assertMatch(
    await kubectl.output(["get", "cronjobs", "-o", "wide"]),
    /CONTAINERS +IMAGES +SELECTOR\n.*main +busybox/,
  );
  assertMatch(await kubectl.output(["get", "cronjobs", "-A"]), /^NAMESPACE .*\ndefault +report/);
  assertMatch(await kubectl.output(["get", "jobs,pods"]), /job\.batch\/now[^]*pod\/p/);
  assertMatch(await kubectl.output(["get", "all"]), /pod\/p[^]*cronjob\.batch\/report[^]*job\.batch\/now/);
  assertStringIncludes((await kubectl.run(["get", "cronjobs", "-l", "app=y"])).stderr, "No resources found");
  assertMatch(
    await kubectl.output(["get", "events"]),
    /Normal +SuccessfulCreate +cronjob\/report +Created job report-1/,
  );
}

async function proveFormats(kubectl: Kubectl): Promise<void> {
  assertMatch(await kubectl.output(["get", "cj", "report", "-o", "yaml"]), /^apiVersion: batch\/v1\nkind: CronJob\n/);
  assertEquals(JSON.parse(await kubectl.output(["get", "cj", "report", "-o", "json"])).spec.schedule, "*/5 * * * *");
  assertEquals(await kubectl.output(["get", "cj", "-o", "jsonpath={.items[*].metadata.name}"]), "report");
  assertEquals(await kubectl.output(["get", "cj", "-o", "custom-columns=N:.metadata.name"]), "N\nreport");
  assertEquals(await kubectl.output(["get", "cj", "-o", "name"]), "cronjob.batch/report");
}

async function proveWatching(kubectl: Kubectl): Promise<void> {
  const watching = kubectl.start(["get", "cronjob", "report", "-w", "-o", "custom-columns=S:.spec.suspend"]);
  const seen: string[] = [];
  for await (const line of lines(watching.stdout)) {
    seen.push(line);
    if (seen.length === 2) await kubectl.run(["patch", "cj", "report", "-p", '{"spec":{"suspend":true}}']);
    if (seen.length === 3) break;
  }
  assertEquals(seen, ["S", "false", "true"]);
  watching.kill("SIGKILL");
  await Promise.all([watching.stderr.cancel(), watching.stdin.close().catch(() => {}), watching.status]);
}

async function proveThatItFollows(kubectl: Kubectl, api: Api): Promise<void> {
  const cronJob = await kubectl.output(["describe", "cronjob", "report"]);
  assertMatch(cronJob, /Schedule: +\*\/5 \* \* \* \*[^]*SuccessfulCreate .*Created job report-1/);
  assertMatch(await kubectl.output(["describe", "job", "now"]), /Controlled By: +CronJob\/report/);
  assertMatch(await kubectl.output(["describe", "pod", "p"]), /Node: +here/);
  assertStringIncludes(await kubectl.output(["events"]), "Created job report-1");
  assertStringIncludes(await kubectl.output(["events", "--for", "cronjob/report"]), "Created job report-1");
  const waiting = kubectl.run(["wait", "--for=jsonpath={.spec.suspend}=false", "cronjob/report", "--timeout=120s"]);
  await api.client.raw("/apis/batch/v1/namespaces/default/cronjobs/report", {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: '{"spec":{"suspend":false}}',
  }).then((response) => response.body?.cancel());
  assertEquals((await waiting).stdout, "cronjob.batch/report condition met\n");
}

test("kubectl logs prints, follows and goes back, or says why there is nothing", async () => {
  const asked: string[] = [];
  const podLogs: PodLogSource = {
    open({ name }, { container, follow, previous, tailLines }) {
      asked.push(`${name}/${container} follow=${follow} previous=${previous} tail=${tailLines}`);
      if (previous) return Promise.reject(Object.assign(new Error("there was no run before"), { code: 400 }));
      return Promise.resolve(
        ReadableStream.from([new TextEncoder().encode("one\n"), new TextEncoder().encode("two\n")]),
      );
    },
  };
  await withObjects(async (kubectl) => {
    assertEquals(await kubectl.output(["logs", "p"]), "one\ntwo");
    assertEquals(await kubectl.output(["logs", "-f", "p", "--tail=5"]), "one\ntwo");
    assertStringIncludes(
      (await kubectl.run(["logs", "p", "--previous"], { codes: [1] })).stderr,
      "there was no run before",
    );
    assertEquals(asked, [
      "p/main follow=false previous=false tail=undefined",
      "p/main follow=true previous=false tail=5",
      "p/main follow=false previous=true tail=undefined",
    ]);
  }, { podLogs });
});

async function proveQuestions(kubectl: Kubectl): Promise<void> {
  assertMatch(await kubectl.output(["explain", "cronjob.spec"]), /schedule\s+<string> -required-/);
  assertMatch(await kubectl.output(["explain", "pod.spec.containers.command"]), /FIELD: command <\[\]string>/);
  assertMatch(await kubectl.output(["api-resources"]), /cronjobs +cj +batch\/v1 +true +CronJob/);
  assertStringIncludes(await kubectl.output(["api-versions"]), "coordination.k8s.io/v1");
  assertMatch(await kubectl.output(["version"]), /Server Version: v1\.36/);
  assertEquals(await kubectl.output(["auth", "can-i", "list", "cronjobs"]), "yes");
  const whoami = ["auth", "whoami", "-o", "jsonpath={.status.userInfo.groups[0]}"];
  assertEquals(await kubectl.output(whoami), "system:masters");
  const top = await kubectl.run(["top", "pods"], { codes: [1] });
  assertStringIncludes(top.stderr, "Metrics API not available");
  const scale = await kubectl.run(["scale", "--replicas=1", "job/now"], { codes: [1] });
  assert(scale.stderr.length > 0);
}

test("kubectl works with custom objects as with any other", async () => {
  await using api = await startApi();
  const kubectl = new Kubectl(api.kubeconfigPath);
  const fixtures = JSON.parse(await Deno.readTextFile(new URL("../conformance/fixtures.json", import.meta.url)));
  await kubectl.run(["apply", "-f", "-"], { stdin: JSON.stringify(fixtures.crd) });
  const crd = "crd/cronjobs.batch.tutorial.kubebuilder.io";
  await kubectl.run(["wait", "--for=condition=Established", crd, "--timeout=120s"]);
  const object = must(OBJECTS.split("---")[0]).replace("batch/v1", "batch.tutorial.kubebuilder.io/v1");
  const resource = "cronjobs.batch.tutorial.kubebuilder.io";
  assertEquals(
    await kubectl.output(["apply", "-f", "-"], { stdin: object }),
    `cronjob.batch.tutorial.kubebuilder.io/report created`,
  );
  assertMatch(await kubectl.output(["get", resource]), /^NAME +SCHEDULE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE\nreport/);
  assertMatch(
    await kubectl.output(["explain", "cronjob.spec", "--api-version=batch.tutorial.kubebuilder.io/v1"]),
    /concurrencyPolicy/,
  );
  await kubectl.run(["patch", resource, "report", "--type=merge", "-p", '{"spec":{"suspend":true}}']);
  await kubectl.run(["delete", resource, "report"]);
  await kubectl.run(["delete", crd]);
});
