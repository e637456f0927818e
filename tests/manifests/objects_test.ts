import { assert, assertEquals } from "@std/assert";
import type { Deployment, StatefulSet } from "kubernetes-types/apps/v1";
import type { Service } from "kubernetes-types/core/v1";
import type { NetworkPolicy } from "kubernetes-types/networking/v1";
import type { ClusterRole, Role } from "kubernetes-types/rbac/v1";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1";
import { FLAVOURS, PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { type Install, installOf, NAMESPACE, type OverlayName, OVERLAYS } from "../../src/manifests/install.ts";
import { destinationOf } from "../../src/manifests/receivers.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { receivers } from "./support/receivers.ts";
import { CONTROLLER } from "./support/installed.ts";
import { Permissions } from "./support/rbac.ts";

const INSTALLS: Record<string, Install> = {
  ...Object.fromEntries((Object.keys(OVERLAYS) as OverlayName[]).map((name) => [name, installOf(name)])),
  all: { ...installOf("base"), apis: FLAVOURS, jobs: "all" },
  receivers: { ...installOf("base"), apis: FLAVOURS, receivers: receivers() },
  "its own namespace too": { ...installOf("base"), watched: ["team-a", NAMESPACE] },
};

test("an address is opened as far as a network policy can say where it is", () => {
  const rule = (url: string) => {
    const destination = destinationOf(new URL(url));
    const install: Install = { ...installOf("base"), receivers: [{ kind: "pings", url, secret: "s", destination }] };
    return find<NetworkPolicy>(install, "NetworkPolicy").spec!.egress!.slice(2);
  };
  const tcp = (port: number) => [{ port, protocol: "TCP" }];
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } };
  assertEquals(rule("https://in.hooks.example/x"), [{ ports: tcp(443) }]);
  assertEquals(rule("http://in.hooks.example:8080/x"), [{ ports: tcp(8080) }]);
  assertEquals(rule("http://10.1.2.3"), [{ to: [{ ipBlock: { cidr: "10.1.2.3/32" } }], ports: tcp(80) }]);
  assertEquals(rule("https://[fd00::1]:8443"), [{ to: [{ ipBlock: { cidr: "fd00::1/128" } }], ports: tcp(8443) }]);
  assertEquals(rule("http://alerts.monitoring.svc:9000"), [{ to: [{ namespaceSelector }] }]);
  assertEquals(rule("https://alerts.monitoring.svc.cluster.local"), [{ to: [{ namespaceSelector }] }]);
  assertEquals(rule("https://svc.example.com"), [{ ports: tcp(443) }]);
  assertEquals(rule("http://alerts:9000"), [{ to: [{ podSelector: {} }] }]);
  assertEquals(rule("http://alerts.monitoring"), [{ to: [{ namespaceSelector }] }]);
  for (const host of ["ntfy.lan", "nas.local", "alerts.corp", "hooks.internal", "pi.home", "Example.COM"]) {
    assertEquals(rule(`http://${host}/x`), [{ ports: tcp(80) }], host);
  }
  assertEquals(rule("https://hc-ping.com"), [{ ports: tcp(443) }]);
});

test("an installation that notifies reads its keys from files of its Secrets, and may record what it sent", () => {
  const install: Install = { ...installOf("base"), apis: [PRODUCTION], receivers: receivers() };
  const { containers, volumes = [] } = find<Deployment>(install, "Deployment").spec!.template.spec!;
  const [{ args = [], volumeMounts = [] }] = atLeast(1, containers);
  assertEquals(args.filter((arg) => /^--(notify|ping)/.test(arg)), [
    "--notify-webhook=http://alerts.monitoring.svc:9000/",
    "--notify-form=slack",
    "--notify-secret-file=/etc/cronjob-controller/notify-secret/secret",
    "--ping-url=https://hc.example/ping",
    "--ping-key-file=/etc/cronjob-controller/ping-key/key",
  ]);
  assertEquals(volumeMounts.map(({ name, mountPath, readOnly }) => [name, mountPath, readOnly]), [
    ["notify-secret", "/etc/cronjob-controller/notify-secret", true],
    ["ping-key", "/etc/cronjob-controller/ping-key", true],
  ]);
  assertEquals(volumes.map(({ name, secret }) => [name, secret?.secretName]), [
    ["notify-secret", "webhook-secret"],
    ["ping-key", "pings-secret"],
  ]);
  const patches = (install: Install) =>
    find<ClusterRole>(install, "ClusterRole").rules!.some(({ resources, verbs }) =>
      resources!.includes("cronjobs") && verbs.includes("patch")
    );
  const pinging = { ...install, receivers: receivers().filter(({ kind }) => kind === "pings") };
  assertEquals([install, pinging, { ...install, receivers: [] }].map(patches), [true, false, false]);
});

test("the program can read the Secrets that it mounts: their volumes belong to root, and to the group of the Pod", () => {
  const install: Install = {
    ...installOf("base"),
    receivers: receivers(),
    dashboard: { kind: "tls", secret: "dashboard" },
  };
  const { securityContext, volumes = [] } = find<Deployment>(install, "Deployment").spec!.template.spec!;
  assertEquals(volumes.length, 3);
  for (const { name, secret } of volumes) {
    const [ofGroup, ofOthers] = [secret!.defaultMode! >> 3 & 7, secret!.defaultMode! & 7];
    assertEquals([ofGroup, ofOthers], [4, 0], name);
  }
  assertEquals(securityContext!.fsGroup, securityContext!.runAsGroup);
});

test("an installation may end Jobs whose Pods never start if an API says so by default, or it is asked to", () => {
  const patches = (install: Install) =>
    find<ClusterRole>(install, "ClusterRole").rules!.some(({ resources, verbs }) =>
      resources!.includes("jobs/status") && verbs.includes("patch")
    );
  const batch = installOf("batch-v1");
  assertEquals([installOf("base"), batch, { ...batch, pendingTimeouts: true }].map(patches), [true, false, true]);
});

test("an installation with neverTwice says so to the controller, and has the right to patch Jobs", () => {
  // An API whose CronJobs are not adopted, so that it has no such right by itself.
  const without: Install = { ...installOf("base"), apis: [PRODUCTION] };
  const install: Install = { ...without, neverTwice: true };
  const [container] = atLeast(1, find<Deployment>(install, "Deployment").spec!.template.spec!.containers);
  assert(container.args!.includes("--never-twice"));
  const patches = (install: Install) =>
    find<ClusterRole>(install, "ClusterRole").rules!.some(({ resources, verbs }) =>
      resources!.includes("jobs") && verbs.includes("patch")
    );
  assertEquals([patches(install), patches(without)], [true, false]);
});

function find<T>(install: Install, kind: string): T {
  return objectsOf(install).find((object) => object.kind === kind) as T;
}

for (const [name, install] of Object.entries(INSTALLS)) {
  test(`the objects of an installation fit together: ${name}`, () => {
    const { spec } = find<Deployment>(install, "Deployment");
    const pod = spec!.template.spec!;
    const [container] = atLeast(1, pod.containers);
    const labels = spec!.template.metadata!.labels!;
    const selects = (selector: Record<string, string> = {}) =>
      Object.keys(selector).length > 0 && Object.entries(selector).every(([label, value]) => labels[label] === value);
    const service = find<Service>(install, "Service").spec!;
    const policy = find<NetworkPolicy>(install, "NetworkPolicy").spec!;
    for (
      const selector of [
        spec!.selector.matchLabels,
        service.selector,
        policy.podSelector.matchLabels,
        find<PodDisruptionBudget>(install, "PodDisruptionBudget").spec!.selector!.matchLabels,
        ...pod.topologySpreadConstraints!.map(({ labelSelector }) => labelSelector!.matchLabels),
      ]
    ) assert(selects(selector), JSON.stringify(selector));

    const ports = Object.fromEntries(container.ports!.map(({ name, containerPort }) => [name!, containerPort]));
    assertEquals(ports[must(service.ports![0]).targetPort as string], must(service.ports![0]).port);
    for (const probe of [container.livenessProbe, container.readinessProbe]) {
      assert(String(probe!.httpGet!.port) in ports);
    }
    const letIn = policy.ingress!.flatMap(({ ports = [] }) => ports.map(({ port }) => port));
    assertEquals(letIn, Object.values(ports), "the policy lets in what the Pod serves");

    const [, , namespace, serviceAccount] = CONTROLLER.split(":");
    assertEquals([namespace, serviceAccount], [NAMESPACE, pod.serviceAccountName]);
    const identities = objectsOf(install).map(({ kind, metadata: { namespace, name } }) =>
      [kind, namespace, name].join()
    );
    assertEquals(identities.length, new Set(identities).size);
    const places = new Set(new Permissions(objectsOf(install)).grantsOf(CONTROLLER).map(({ namespace }) => namespace));
    const watched = install.watched.length === 0 ? [undefined] : install.watched;
    assertEquals([...places].sort(), [...new Set([...watched, NAMESPACE])].sort());
  });
}

test("replicas compete for the same Lease, whichever APIs they run", () => {
  for (let some = 1; some < 2 ** FLAVOURS.length; some++) {
    const install = { ...installOf("base"), apis: FLAVOURS.filter((_, i) => some & 1 << i) };
    const { args } = must(find<Deployment>(install, "Deployment").spec!.template.spec!.containers[0]);
    assert(args!.includes("--leader-elect") && !args!.some((arg) => arg.startsWith("--leader-election")), `${args}`);
    const named = find<Role>(install, "Role").rules!.flatMap(({ resourceNames = [] }) => resourceNames);
    assertEquals(named, ["cronjob-controller"]);
  }
});

test("the Pods keep to the restricted Pod Security Standard, which their namespace demands", () => {
  const { metadata } = find<{ metadata: { labels: Record<string, string> } }>(installOf("base"), "Namespace");
  assertEquals(metadata.labels["pod-security.kubernetes.io/enforce"], "restricted");
  const { hostNetwork, hostPID, hostIPC, volumes, securityContext, containers, initContainers, ...pod } = find<
    Deployment
  >(
    installOf("base"),
    "Deployment",
  ).spec!.template.spec!;
  assertEquals([hostNetwork, hostPID, hostIPC, volumes, initContainers], Array(5).fill(undefined));
  assertEquals([securityContext!.runAsNonRoot, securityContext!.seccompProfile], [true, { type: "RuntimeDefault" }]);
  assert(securityContext!.runAsUser! > 0);
  for (const { securityContext, ports } of containers) {
    assertEquals(securityContext, {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      privileged: false,
      readOnlyRootFilesystem: true,
    });
    assertEquals(ports!.map(({ hostPort }) => hostPort), [undefined, undefined]);
  }
  assertEquals(pod.enableServiceLinks, false, "services' variables would look like ours");
  const account = find<{ automountServiceAccountToken: boolean }>(installOf("base"), "ServiceAccount");
  assertEquals([account.automountServiceAccountToken, pod.automountServiceAccountToken], [false, true]);
});

test("a rollout and a drained node leave a replica, and end each in order", () => {
  const { replicas, strategy, template } = find<Deployment>(installOf("base"), "Deployment").spec!;
  assertEquals(replicas, 2);
  assertEquals(strategy, { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
  assertEquals(find<PodDisruptionBudget>(installOf("base"), "PodDisruptionBudget").spec!.maxUnavailable, 1);
  const { terminationGracePeriodSeconds, containers } = template.spec!;
  const [{ args }] = atLeast(1, containers);
  // The program's own limit is 10 s.
  assert(terminationGracePeriodSeconds! > 10 && !args!.some((arg) => arg.startsWith("--shutdown-grace")));
});

test("history is kept where it is asked for, in a volume of each Pod that is not root's, or on one that stays", () => {
  const about = (history: Install["history"]) => {
    const objects = objectsOf({ ...installOf("base"), history });
    const { kind, spec } = objects.find(({ kind }) => ["Deployment", "StatefulSet"].includes(kind)) as unknown as (
      | Deployment
      | StatefulSet
    );
    const { containers, volumes, securityContext } = spec!.template.spec!;
    const [{ args, volumeMounts }] = atLeast(1, containers);
    const flags = args!.filter((arg) => arg.startsWith("--history-"));
    const claims = (spec as StatefulSet["spec"])!.volumeClaimTemplates?.map(({ metadata, spec }) => [
      metadata!.name,
      spec!.resources!.requests!.storage,
    ]);
    return { kind, flags, volumes, volumeMounts, claims, fsGroup: securityContext!.fsGroup };
  };
  const none = {
    kind: "Deployment" as const,
    flags: [],
    volumes: undefined,
    volumeMounts: undefined,
    claims: undefined,
  };
  const dir = "--history-dir=/var/lib/cronjob-controller";
  const volumeMounts = [{ name: "history", mountPath: "/var/lib/cronjob-controller" }];
  const fsGroup = 65532;
  assertEquals(about({ kind: "none" }), { ...none, fsGroup });
  const volumes = [{ name: "history", emptyDir: {} }];
  assertEquals(about({ kind: "pod" }), { ...none, flags: [dir], volumes, volumeMounts, fsGroup });
  assertEquals(about({ kind: "volume", gibibytes: 10 }), {
    ...none,
    kind: "StatefulSet",
    flags: [dir, "--history-size=9000MiB"],
    volumeMounts,
    claims: [["history", "10Gi"]],
    fsGroup,
  });
});

test("a replica may reach the dashboard of another where history is kept", () => {
  const peers = (kind: "pod" | "none", dashboard: Install["dashboard"]) => {
    const objects = objectsOf({ ...installOf("base"), history: { kind }, dashboard });
    const { spec } = objects.find(({ kind }) => kind === "NetworkPolicy") as unknown as NetworkPolicy;
    const own = JSON.stringify({ podSelector: spec!.podSelector });
    const isOwn = (peer: unknown) => JSON.stringify(peer) === own;
    return [spec!.ingress!.some(({ from }) => from?.some(isOwn)), spec!.egress!.some(({ to }) => to?.some(isOwn))];
  };
  const tls: Install["dashboard"] = { kind: "tls", secret: "dashboard-tls" };
  assertEquals(peers("pod", tls), [true, true]);
  assertEquals(peers("none", tls), [false, false]);
  assertEquals(peers("pod", { kind: "port-forward" }), [false, false]);
});

test("a dashboard is installed as it is asked for: not at all, inside the Pod alone, or over TLS for namespaces that are let in", () => {
  const about = (dashboard: Install["dashboard"]) => {
    const objects = objectsOf({ ...installOf("base"), dashboard });
    const { args, ports, volumeMounts } = must(
      (objects.find(({ kind }) => kind === "Deployment") as unknown as Deployment)
        .spec!.template.spec!.containers[0],
    );
    const policy = objects.find(({ kind }) => kind === "NetworkPolicy") as unknown as NetworkPolicy;
    return {
      args: args!.filter((arg) => arg.includes("dashboard")),
      isOpen: ports!.some(({ name }) => name === "dashboard"),
      mounts: volumeMounts?.length ?? 0,
      services:
        objects.filter(({ kind, metadata: { name } }) => kind === "Service" && name.endsWith("-dashboard")).length,
      letIn: policy.spec!.ingress!.filter(({ ports }) => ports?.some(({ port }) => port === 6445)).map(({ from }) =>
        from
      ),
    };
  };
  const nothing = { args: [], isOpen: false, mounts: 0, services: 0, letIn: [] };
  assertEquals(about({ kind: "none" }), nothing);
  assertEquals(about({ kind: "port-forward" }), { ...nothing, args: ["--dashboard-bind-address=127.0.0.1:6445"] });
  const folder = "/etc/cronjob-controller/dashboard-tls";
  assertEquals(about({ kind: "tls", secret: "dashboard" }), {
    args: [
      "--dashboard-bind-address=:6445",
      `--dashboard-tls-cert-file=${folder}/tls.crt`,
      `--dashboard-tls-key-file=${folder}/tls.key`,
    ],
    isOpen: true,
    mounts: 1,
    services: 1,
    letIn: [[{ namespaceSelector: { matchLabels: { dashboard: "enabled" } } }]],
  });
});
