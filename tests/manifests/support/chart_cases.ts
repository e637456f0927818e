import { parse, parseAllDocuments } from "yaml";
import { alertsWith } from "../../../deploy/monitoring/written.ts";
import { DEPLOY } from "../../../deploy/write.ts";
import { FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import { type Install, installOf, NAMESPACE, OVERLAYS } from "../../../src/manifests/install.ts";
import { type KubeManifest, objectsOf } from "../../../src/manifests/objects.ts";
import { destinationOf, OUTSIDE, type Receiver } from "../../../src/manifests/receivers.ts";
import { must } from "../../support/expected.ts";
import { kustomize } from "./kustomize.ts";
import { CHART } from "./real_helm.ts";
import { receivers } from "./receivers.ts";
import { takenBy, type ValueSchema } from "./value_schema.ts";

/** The chart's values that say what an installation is. */
function valuesOf(install: Install): Record<string, unknown> {
  const [repository, tag] = install.image.split(":");
  const flags = install.flags.map((flag) => flag.slice("--".length).split("="))
    .map(([name, text = ""]) => [name, /^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text]);
  return {
    image: { repository, tag },
    apis: install.apis.map(({ apiVersion }) => apiVersion),
    managedOnly: install.managedOnly,
    namespaces: install.watched,
    jobs: install.jobs,
    pendingTimeouts: install.pendingTimeouts,
    neverTwice: install.neverTwice,
    dashboard: install.dashboard,
    history: install.history,
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

const BASE = installOf("base");

/** Values, and what a release in {@linkcode NAMESPACE} with them consists of. */
interface Case {
  readonly values: Record<string, unknown>;
  readonly expected: readonly KubeManifest[];
}

function installed(change: Partial<Install>): Case {
  const install = { ...BASE, ...change };
  return { values: valuesOf(install), expected: objectsOf(install) };
}

const RECEIVER_URLS = [
  "https://hooks.example/in/here",
  "https://in.hooks.example/here",
  "http://alerts:9000/",
  "http://alerts.monitoring/",
  "https://alerts.monitoring/",
  "https://example.com:8443/",
  "http://Example.COM:8080/",
  "http://10.1.2.3:8080/x",
  "http://alerts.monitoring.svc:9000/",
  "http://alerts.monitoring.services/",
  "http://alerts./",
  "https://alerts.monitoring.svc.cluster.local/",
  "https://[fd00::1]:8443/a",
  ...OUTSIDE.map((label) => `http://ntfy.${label}/x`),
];

function receiversOf(
  webhook: string,
  pings: string,
  form = "slack",
  secret: string | undefined = "address",
): Receiver[] {
  return [
    { kind: "webhook", url: webhook, form, secret, destination: destinationOf(new URL(webhook)) },
    { kind: "pings", url: pings, form: undefined, secret: "key", destination: destinationOf(new URL(pings)) },
  ];
}

/** The chart's `values.schema.json`. */
export const SCHEMA: ValueSchema = JSON.parse(await Deno.readTextFile(`${CHART}/values.schema.json`));
const FLAGS = must(must(SCHEMA.properties?.flags).properties);

/** Every flag of the chart, each with one of the values that it takes. */
function withFlags(turn: number): Case {
  const flags = Object.entries(FLAGS).map(([name, schema]): [string, unknown] => {
    const taken = takenBy(schema) ?? ["5s", 1000000];
    return [name, taken[turn % taken.length]];
  }).sort();
  const neverTwice = flags.some(([name, value]) => name === "default-never-twice" && value === true);
  const written = flags.map(([name, value]) => `--${name}=${value}`);
  // These flags imply others, and the rights.
  const { expected } = installed({ flags: written, pendingTimeouts: true, neverTwice });
  return { values: { flags: Object.fromEntries(flags) }, expected };
}

const MONITORS = await kustomize(new URL("monitoring", DEPLOY).pathname);
const KUBE_STATE_METRICS_RULES = parse(
  await Deno.readTextFile(new URL("monitoring/kube_state_metrics_rules.yaml", DEPLOY)),
);
const DIGEST = `sha256:${"a1".repeat(32)}`;

/** The labels are for Prometheus, and not for Grafana. */
function labelled(object: KubeManifest, labels: object): KubeManifest {
  const { metadata } = object as KubeManifest & { metadata: { labels: object } };
  return object.kind === "ConfigMap"
    ? object
    : { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } } as KubeManifest;
}

/** By what they are about. */
export const CASES: Record<string, Case> = {
  "no values": { values: {}, expected: objectsOf(BASE) },
  ...Object.fromEntries(
    (Object.keys(OVERLAYS) as (keyof typeof OVERLAYS)[]).map((name) => [`overlay ${name}`, installed(installOf(name))]),
  ),
  "another image": installed({ image: "registry.example/cronjob-controller:1.2.3" }),
  "a digest in place of the tag": {
    values: { image: { repository: "registry.example/c", tag: "1", digest: DIGEST } },
    expected: objectsOf({ ...BASE, image: `registry.example/c@${DIGEST}` }),
  },
  "a namespace that looks like a number": installed({ watched: ["1234"] }),
  "an unquoted off": { values: { jobs: false }, expected: objectsOf(BASE) },
  "a dashboard inside the Pod": installed({ dashboard: { kind: "port-forward" } }),
  "a dashboard over TLS": installed({ dashboard: { kind: "tls", secret: "dashboard" } }),
  "history": installed({ history: { kind: "pod" } }),
  "history on a volume": installed({ history: { kind: "volume", gibibytes: 10 } }),
  "history and a dashboard that shows it": installed({
    history: { kind: "volume", gibibytes: 1 },
    dashboard: { kind: "tls", secret: "dashboard" },
  }),
  ...Object.fromEntries(RECEIVER_URLS.map((url, i) => [
    `receivers at ${url} and the next`,
    installed({
      receivers: receiversOf(url, must(RECEIVER_URLS[(i + 1) % RECEIVER_URLS.length])),
    }),
  ])),
  "Alertmanager, which asks for nothing": installed({
    receivers: receiversOf("http://alertmanager.monitoring:9093/", "https://hc.example", "alertmanager").map((
      receiver,
    ) => receiver.kind === "webhook" ? { ...receiver, secret: undefined } : receiver),
  }),
  "a webhook and pings for every API": installed({ apis: FLAVOURS, receivers: receivers() }),
  "a webhook that gets CloudEvents": installed({
    receivers: receiversOf("https://hooks.example/", "https://hc.example", "cloudevents"),
  }),
  ...Object.fromEntries([0, 1, 2, 3].map((turn) => [`all flags, value ${turn + 1} of each`, withFlags(turn)])),
  "other resources": installed({ resources: { requests: { cpu: "1", memory: "2Gi" }, limits: { memory: "4Gi" } } }),
  "names that are not freed on uninstall": {
    values: { neverTwice: true, freeNamesOnUninstall: false },
    expected: objectsOf({ ...BASE, neverTwice: true }),
  },
  "fields of the Pods": installed({
    pod: {
      affinity: { nodeAffinity: {} },
      imagePullSecrets: [{ name: "registry" }],
      priorityClassName: "system-cluster-critical",
      tolerations: [{ key: "spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1000000 }],
    },
  }),
  "CRDs of another release": {
    values: { crds: { install: false } },
    expected: objectsOf(BASE).filter(({ kind, metadata: { name } }) =>
      kind !== "CustomResourceDefinition" && !/-(?:view|edit)$/.test(name)
    ),
  },
  "monitoring": {
    values: { monitoring: { serviceMonitor: true, prometheusRule: true, grafanaDashboard: true } },
    expected: [...objectsOf(BASE), ...MONITORS],
  },
  "alerts with runbooks elsewhere": {
    values: { monitoring: { prometheusRule: true, runbookUrl: "https://wiki.example/cronjobs" } },
    expected: [
      ...objectsOf(BASE),
      ...parseAllDocuments(await alertsWith("https://wiki.example/cronjobs")).map((rules) => rules.toJS()),
    ],
  },
  "the names of kube-state-metrics": {
    values: { monitoring: { kubeStateMetricsRules: true, labels: { release: "kps" } } },
    expected: [...objectsOf(BASE), labelled(KUBE_STATE_METRICS_RULES, { release: "kps" })],
  },
  "monitoring with labels": {
    values: {
      monitoring: { serviceMonitor: true, prometheusRule: true, grafanaDashboard: true, labels: { release: "kps" } },
    },
    expected: [...objectsOf(BASE), ...MONITORS.map((object) => labelled(object, { release: "kps" }))],
  },
};

/** APIs with namespaces, and each of the four lists of namespaces with each of the others, in turns. */
export function combinations(): Case[] {
  const subsets = Array.from(
    { length: 2 ** FLAVOURS.length - 1 },
    (_, n) => FLAVOURS.filter((_, i) => ((n + 1) >> i) & 1),
  );
  const watched = [[], ["team-a"], [NAMESPACE], ["team-a", NAMESPACE, "team-b"]];
  return subsets.flatMap((apis, n) =>
    watched.map((namespaces, i) => {
      const jobs = must((["off", "managed", "all"] as const)[(i + apis.length) % 3]);
      const [pendingTimeouts, neverTwice] = [(i + n) % 2 === 0, i % 2 === 0];
      return installed({ apis, watched: namespaces, jobs, pendingTimeouts, neverTwice });
    })
  );
}
