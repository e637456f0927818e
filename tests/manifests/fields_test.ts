import { assertEquals } from "@std/assert";
import type { Deployment } from "kubernetes-types/apps/v1";
import { DEPLOY } from "../../deploy/write.ts";
import { installOf, type OverlayName, OVERLAYS } from "../../src/manifests/install.ts";
import { type KubeManifest, objectsOf } from "../../src/manifests/objects.ts";
import { must } from "../support/expected.ts";
import { sampleFiles } from "../support/samples.ts";
import { test } from "../support/test.ts";
import { kustomize, objectsIn } from "./support/kustomize.ts";
import { Models } from "./support/models.ts";

// Loading client-node leaves operations behind.
const options = { sanitize: false };

for (const overlay of Object.keys(OVERLAYS) as OverlayName[]) {
  test(`every field that ${overlay} renders to is one of the API, of its type`, async () => {
    const models = await Models.load();
    const folder = new URL(overlay === "base" ? "base" : `overlays/${overlay}`, DEPLOY).pathname;
    const objects = await kustomize(folder);
    assertEquals(objects.flatMap((object) => models.faultsOf(object)), []);
    assertEquals(objects.length, objectsOf(installOf(overlay)).length);
  }, options);
}

test("every field of deploy/monitoring that the API itself knows is one of it, of its type", async () => {
  const models = await Models.load();
  const objects = await kustomize(new URL("monitoring", DEPLOY).pathname);
  // The operator's own kinds are in no client library.
  const known = objects.filter(({ apiVersion }) => apiVersion !== "monitoring.coreos.com/v1");
  assertEquals(known.map(({ kind }) => kind), ["ConfigMap"]);
  assertEquals(known.flatMap((object) => models.faultsOf(object)), []);
}, options);

test("every field of the samples is one of the API, of its type", async () => {
  const models = await Models.load();
  const faults: string[] = [];
  for await (const { path, text } of sampleFiles()) {
    for (const object of objectsIn(text)) {
      // What the CRD leaves open is Kubernetes' own.
      const { spec: { jobTemplate } } = object as KubeManifest & { spec: { jobTemplate: unknown } };
      if (object.apiVersion === "batch/v1") models.walk(object, "V1CronJob", path, faults);
      else models.walk(jobTemplate, "V1JobTemplateSpec", `${path}: spec.jobTemplate`, faults);
    }
  }
  assertEquals(faults, []);
}, options);

test("a misspelt or mistyped field is found, however deep", async () => {
  const models = await Models.load();
  const objects = objectsOf(installOf("base"));
  const spoilt = (kind: string, spoil: (object: never) => void) => {
    const object = structuredClone(objects.find((object) => object.kind === kind)!);
    spoil(object as never);
    return models.faultsOf(object);
  };
  const podOf = (deployment: Deployment) => deployment.spec!.template.spec!;
  const spoilPod = (spoil: (pod: ReturnType<typeof podOf>) => void) =>
    spoilt("Deployment", (deployment: Deployment) => spoil(podOf(deployment)));
  const pod = "Deployment.spec.template.spec";
  assertEquals(
    spoilPod((pod) => Object.assign(must(pod.containers[0]).securityContext!, { readonlyRootFilesystem: true })),
    [
      `${pod}.containers[0].securityContext.readonlyRootFilesystem: V1SecurityContext has no such field`,
    ],
  );
  assertEquals(spoilPod((pod) => Object.assign(pod, { enableServiceLinks: "false" })), [
    `${pod}.enableServiceLinks: must be boolean, and is "false"`,
  ]);
  assertEquals(spoilPod((pod) => Object.assign(pod, { terminationGracePeriodSeconds: 1.5 })), [
    `${pod}.terminationGracePeriodSeconds: must be number, and is 1.5`,
  ]);
  assertEquals(spoilPod((pod) => Object.assign(must(pod.containers[0]), { args: "controller" })), [
    `${pod}.containers[0].args: must be Array<string>, and is "controller"`,
  ]);
  assertEquals(spoilPod((pod) => Object.assign(must(pod.containers[0]).livenessProbe!.httpGet!, { port: true })), [
    `${pod}.containers[0].livenessProbe.httpGet.port: must be IntOrString, and is true`,
  ]);
  assertEquals(spoilPod((pod) => Object.assign(must(pod.containers[0]).resources!.limits!, { memory: "512 MB" })), [
    `${pod}.containers[0].resources.limits.memory: 512 MB is no quantity`,
  ]);
  assertEquals(spoilPod((pod) => Object.assign(pod.nodeSelector!, { "kubernetes.io/os": 1 })), [
    `${pod}.nodeSelector.kubernetes.io/os: must be string, and is 1`,
  ]);
  assertEquals(spoilt("Role", (role: KubeManifest) => Object.assign(role, { apiVersion: "rbac.k8s.io/v1" })), [
    "rbac.k8s.io/v1 Role: there is no such kind",
  ]);
  assertEquals(spoilt("ClusterRole", ({ metadata }: KubeManifest) => Object.assign(metadata, { namespace: "a" })), [
    "ClusterRole: has no namespace",
  ]);
  assertEquals(spoilt("Role", ({ metadata }: { metadata: { namespace?: string } }) => delete metadata.namespace), [
    "Role: needs a namespace",
  ]);
}, options);
