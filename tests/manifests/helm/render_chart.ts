// What the real helm makes of the chart: `deno task test:chart` (needs helm on PATH).
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { PolicyRule } from "kubernetes-types/rbac/v1";
import { DEPLOY } from "../../../deploy/write.ts";
import { FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { type Install, installOf, NAMESPACE, OVERLAYS } from "../../../src/manifests/install.ts";
import { type KubeManifest, objectsOf } from "../../../src/manifests/objects.ts";
import { destinationOf, type Receiver } from "../../../src/manifests/receivers.ts";
import { rulesOf } from "../../../src/manifests/rbac.ts";
import { atLeast, must } from "../../support/expected.ts";
import { receivers } from "../support/receivers.ts";
import { test } from "../../support/test.ts";
import { byIdentity, kustomize } from "../support/kustomize.ts";
import { CHART, helm, helmOk, rendered } from "../support/real_helm.ts";

/** The chart's values that say what an installation is. */
function valuesOf(install: Install): Record<string, unknown> {
  const [repository, tag] = install.image.split(":");
  const flags = install.flags.map((flag) => flag.slice("--".length).split("="))
    .map(([name, text = ""]) => [name, /^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text]);
  return {
    image: { repository, tag },
    apis: install.apis.map(({ resource }) => apiVersionOf(resource)),
    managedOnly: install.managedOnly,
    namespaces: install.watched,
    jobs: install.jobs,
    pendingTimeouts: install.pendingTimeouts,
    neverTwice: install.neverTwice,
    dashboard: install.dashboard,
    notifications: Object.fromEntries(install.receivers.map(({ kind, ...values }) => [kind, valuesOfReceiver(values)])),
    flags: Object.fromEntries(flags),
    resources: install.resources,
    pod: install.pod,
  };
}

/** Without what another value says, and what is absent: Helm takes no null. */
function valuesOfReceiver({ url, form, secret }: Omit<Receiver, "kind">): Record<string, string> {
  return { url, ...form && { form }, ...secret && { secret } };
}

/**
 * By identity, and as they are compared: without the namespace, which Helm makes, and without the mark that keeps CRDs; with
 * each right by itself, as rules may be joined or not.
 */
function comparable(objects: readonly KubeManifest[]): Record<string, unknown> {
  const compared = objects.filter(({ kind }) => kind !== "Namespace").map((object) => {
    const { annotations, ...metadata } = object.metadata as KubeManifest["metadata"] & { annotations?: object };
    const { "helm.sh/resource-policy": _, ...others } = (annotations ?? {}) as Record<string, string>;
    const rights = "rules" in object && { rules: rightsOf(object.rules as PolicyRule[]) };
    return {
      ...object,
      ...rights,
      metadata: { ...metadata, ...Object.keys(others).length > 0 && { annotations: others } },
    } as KubeManifest;
  });
  return byIdentity(compared);
}

function rightsOf(rules: readonly PolicyRule[]): string[] {
  const rights = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = ["*"], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${group}/${resource} ${name}`))
      )
    )
  );
  return [...new Set(rights)].sort();
}

const BASE = installOf("base");

const RECEIVER_URLS = [
  "https://hooks.example/in/here",
  "https://in.hooks.example/here",
  "http://alerts:9000/",
  "http://alerts.monitoring/",
  "https://example.com:8443/",
  "http://ntfy.lan/x",
  "http://Example.COM:8080/",
  "http://10.1.2.3:8080/x",
  "http://alerts.monitoring.svc:9000/",
  "https://alerts.monitoring.svc.cluster.local/",
  "https://[fd00::1]:8443/a",
];

function webhookTo(url: string, form: string, secret: string | undefined): Receiver {
  return { kind: "webhook", url, form, secret, destination: destinationOf(new URL(url)) };
}

const INSTALLS: Record<string, Install> = {
  ...Object.fromEntries(
    (Object.keys(OVERLAYS) as (keyof typeof OVERLAYS)[]).map((name) => [`overlay ${name}`, installOf(name)]),
  ),
  "another image": { ...BASE, image: "registry.example/cronjob-controller:1.2.3" },
  "a namespace that looks like a number": { ...BASE, watched: ["1234"] },
  "a dashboard inside the Pod": { ...BASE, dashboard: { kind: "port-forward" } },
  "a dashboard over TLS": { ...BASE, dashboard: { kind: "tls", secret: "dashboard" } },
  ...Object.fromEntries(RECEIVER_URLS.map((url) => [`a webhook to ${url}`, {
    ...BASE,
    receivers: [webhookTo(url, "slack", "address")],
  }])),
  "Alertmanager, which asks for nothing": {
    ...BASE,
    receivers: [webhookTo("http://alertmanager.monitoring:9093/", "alertmanager", undefined)],
  },
  "a webhook and pings": { ...BASE, apis: FLAVOURS, receivers: receivers() },
  "flags of every type": {
    ...BASE,
    flags: ["--annotate-next-run=true", "--kube-api-qps=1000000", "--log-level=debug", "--shutdown-grace=1m30s"],
  },
  "other resources": { ...BASE, resources: { requests: { cpu: "1", memory: "2Gi" }, limits: { memory: "4Gi" } } },
  "fields of the Pods": {
    ...BASE,
    pod: { imagePullSecrets: [{ name: "registry" }], priorityClassName: "system-cluster-critical" },
  },
};

for (const [name, install] of Object.entries(INSTALLS)) {
  test(`helm renders what manifests prints: ${name}`, async () => {
    assertEquals(comparable(await rendered(valuesOf(install), NAMESPACE)), comparable(objectsOf(install)));
  });
}

test("helm renders by default what manifests prints by default", async () => {
  assertEquals(comparable(await rendered({}, NAMESPACE)), comparable(objectsOf(BASE)));
});

test("helm renders what manifests prints, whatever APIs, Jobs, timeouts and namespaces are together", async () => {
  const subsets = Array.from(
    { length: 2 ** FLAVOURS.length - 1 },
    (_, n) => FLAVOURS.filter((_, i) => ((n + 1) >> i) & 1),
  );
  const watched = [[], ["team-a"], [NAMESPACE], ["team-a", NAMESPACE, "team-b"]];
  let compared = 0;
  for (const apis of subsets) {
    for (const [i, namespaces] of watched.entries()) {
      // Each of the four together with each of the others, in turns.
      const jobs = must((["off", "managed", "all"] as const)[(i + apis.length) % 3]);
      const [pendingTimeouts, neverTwice] = [(i + compared) % 2 === 0, i % 2 === 0];
      const install: Install = { ...BASE, apis, watched: namespaces, jobs, pendingTimeouts, neverTwice };
      assertEquals(comparable(await rendered(valuesOf(install), NAMESPACE)), comparable(objectsOf(install)));
      compared++;
    }
  }
  assertEquals(compared, 28);
});

test("a release in another namespace has everything there", async () => {
  const moved = JSON.stringify(objectsOf(BASE)).replaceAll(NAMESPACE, "cron");
  assertEquals(comparable(await rendered({}, "cron")), comparable(JSON.parse(moved)));
});

test("monitoring is that of deploy/monitoring, with labels by which Prometheus finds it", async () => {
  const monitoring = { serviceMonitor: true, prometheusRule: true, grafanaDashboard: true };
  const kinds = ["ServiceMonitor", "PrometheusRule", "ConfigMap"];
  const ofKinds = (objects: readonly KubeManifest[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const expected = await kustomize(new URL("monitoring", DEPLOY).pathname);
  assertEquals(expected.length, 3);
  assertEquals(comparable(ofKinds(await rendered({ monitoring }, NAMESPACE))), comparable(expected));
  const labelled = await rendered({ monitoring: { ...monitoring, labels: { release: "kps" } } }, NAMESPACE);
  const labels = labelled.filter(({ kind }) => kinds.slice(0, 2).includes(kind))
    .map(({ metadata }) => (metadata as unknown as { labels: Record<string, string> }).labels.release);
  assertEquals(labels, ["kps", "kps"]);
});

test("a digest counts in place of the tag, and CRDs can be left to another release", async () => {
  const digest = `sha256:${"a1".repeat(32)}`;
  const objects = await rendered(
    { image: { repository: "r.example/c", tag: "1", digest }, crds: { install: false } },
    "n",
  );
  assertStringIncludes(JSON.stringify(objects), `"image":"r.example/c@${digest}"`);
  assertEquals(objects.filter(({ kind }) => kind === "CustomResourceDefinition"), []);
});

test("a flag that implies pending timeouts brings the right to end Jobs", async () => {
  const install: Install = { ...BASE, pendingTimeouts: true, flags: ["--default-pending-timeout=10m"] };
  const values = { ...valuesOf(install), pendingTimeouts: false };
  assertEquals(comparable(await rendered(values, NAMESPACE)), comparable(objectsOf(install)));
});

test("a flag that implies neverTwice brings the right to free names", async () => {
  const install: Install = { ...BASE, neverTwice: true, flags: ["--default-never-twice=true"] };
  const values = { ...valuesOf(install), neverTwice: false };
  assertEquals(comparable(await rendered(values, NAMESPACE)), comparable(objectsOf(install)));
});

test("CRDs stay when the release goes", async () => {
  const definitions = (await rendered({}, "n")).filter(({ kind }) => kind === "CustomResourceDefinition");
  const annotations = definitions.map(({ metadata }) => (metadata as unknown as { annotations: object }).annotations);
  assertEquals(annotations, [{ "helm.sh/resource-policy": "keep" }]);
});

test("helm refuses values that the chart does not know, and says where", async () => {
  const cases: [values: object, place: string][] = [
    [{ apis: [] }, "/apis"],
    [{ apis: ["batch/v2"] }, "/apis/0"],
    [{ jobs: "some" }, "/jobs"],
    [{ namespaces: ["Team_A"] }, "/namespaces/0"],
    [{ dashboard: { kind: "tls" } }, "/dashboard/secret"],
    [{ flags: { "kube-api-qsp": 5 } }, "/flags"],
    [{ flags: { "log-level": "loud" } }, "/flags/log-level"],
    [{ pod: { containers: [] } }, "/pod"],
    [{ image: { digest: "latest" } }, "/image/digest"],
    [{ replica: 2 }, "replica"],
  ];
  for (const [values, place] of cases) {
    const { code, stderr } = await helm(["template", "release", CHART], { values });
    assert(code !== 0, JSON.stringify(values));
    assertStringIncludes(stderr, place);
  }
  assertEquals((await helm(["template", "release", CHART], { values: { jobs: false } })).code, 0, "an unquoted off");
});

test("helm finds nothing wrong with the chart", async () => {
  assertStringIncludes(await helmOk(["lint", "--strict", CHART]), "1 chart(s) linted, 0 chart(s) failed");
});

test("the comparison finds a right that is missing", () => {
  const [first, ...rest] = atLeast(
    1,
    rulesOf([{
      resource: must(FLAVOURS[0]).resource,
      verbs: ["get", "list"],
      where: "watched",
    }]),
  );
  assertEquals(rest, []);
  assertEquals(rightsOf([first]).length, 2);
  assertEquals(rightsOf([{ ...first, verbs: ["get"] }]).length, 1);
});
