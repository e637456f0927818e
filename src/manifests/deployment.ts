import type { Deployment, StatefulSet } from "kubernetes-types/apps/v1";
import type { Container, HTTPGetAction, TopologySpreadConstraint, Volume, VolumeMount } from "kubernetes-types/core/v1";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1";
import { METRICS_SERVICE } from "./network.ts";
import { type Install, LABELS, NAME, NAMESPACE, PORTS } from "./install.ts";
import { receiverArguments, receiverMounts, receiverVolumes } from "./receivers.ts";

/** The user of the image, without rights of its own. */
const USER_ID = 65532;

/** Ample beside the default of `--shutdown-grace`, 10 s: Kubernetes kills no program that is ending in order. */
const TERMINATION_GRACE_SECONDS = 30;

/** Returns the command line of the container. */
export function argumentsOf(install: Install): string[] {
  const { apis, managedOnly, watched, jobs, neverTwice, dashboard, history, receivers, flags } = install;
  return [
    "controller",
    "--leader-elect",
    "--log-format=json",
    // Without `--api` the controller runs the APIs that it finds and may watch; of batch/v1 the adopted CronJobs.
    ...managedOnly ? [] : apis.map(({ apiVersion }) => `--api=${apiVersion}`),
    ...jobs === "off" ? [] : [`--jobs=${jobs}`],
    ...neverTwice ? ["--never-twice"] : [],
    ...dashboardArguments(dashboard),
    ...historyArguments(history),
    ...receivers.flatMap(receiverArguments),
    ...watched.map((namespace) => `--namespace=${namespace}`),
    ...flags,
  ];
}

/**
 * One replica works, the other stands by. A Deployment removes none before another is ready; a StatefulSet replaces them one
 * by one, the next once the last is ready.
 */
export function workloadOf(install: Install): Deployment | StatefulSet {
  const metadata = { name: NAME, namespace: NAMESPACE, labels: LABELS };
  const { template, ...spec } = podsOf(install);
  if (install.history.kind !== "volume") {
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { ...spec, strategy, template } };
  }
  const storage = `${install.history.gibibytes}Gi`;
  const claim = {
    metadata: { name: "history" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata,
    spec: {
      ...spec,
      // No client asks for a replica by its name.
      serviceName: METRICS_SERVICE.metadata!.name!,
      podManagementPolicy: "Parallel",
      volumeClaimTemplates: [claim],
      template,
    },
  };
}

function podsOf(install: Install) {
  return {
    replicas: 2,
    revisionHistoryLimit: 3,
    selector: { matchLabels: LABELS },
    template: {
      metadata: {
        labels: LABELS,
        annotations: { "kubectl.kubernetes.io/default-container": "controller" },
      },
      spec: {
        serviceAccountName: NAME,
        automountServiceAccountToken: true,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
        nodeSelector: { "kubernetes.io/os": "linux" },
        topologySpreadConstraints: ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map(spreadOver),
        securityContext: {
          runAsNonRoot: true,
          runAsUser: USER_ID,
          runAsGroup: USER_ID,
          // Volumes of Secrets are root's, and closed to others.
          fsGroup: USER_ID,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [containerOf(install)],
        ...volumesOf(install),
        ...install.pod,
      },
    },
  };
}

/** The folder of the dashboard's certificate and key, named as in Secrets of type kubernetes.io/tls. */
const DASHBOARD_TLS = "/etc/cronjob-controller/dashboard-tls";

/** The folder in which a replica keeps runs. */
const HISTORY = "/var/lib/cronjob-controller";
/** MiB of runs for each GiB of a volume: the log of SQLite and the file system take the rest. */
const RUNS_MIB = 900;

function historyArguments(history: Install["history"]): string[] {
  const size = history.kind === "volume" ? [`--history-size=${history.gibibytes * RUNS_MIB}MiB`] : [];
  return history.kind === "none" ? [] : [`--history-dir=${HISTORY}`, ...size];
}

function dashboardArguments({ kind }: Install["dashboard"]): string[] {
  switch (kind) {
    case "none":
      return [];
    case "port-forward":
      return [`--dashboard-bind-address=127.0.0.1:${PORTS.dashboard}`];
    case "tls":
      return [
        `--dashboard-bind-address=:${PORTS.dashboard}`,
        `--dashboard-tls-cert-file=${DASHBOARD_TLS}/tls.crt`,
        `--dashboard-tls-key-file=${DASHBOARD_TLS}/tls.key`,
      ];
  }
}

function containerOf(install: Install): Container {
  const { dashboard } = install;
  return {
    name: "controller",
    image: install.image,
    args: argumentsOf(install),
    ports: [
      { name: "metrics", containerPort: PORTS.metrics, protocol: "TCP" },
      { name: "health", containerPort: PORTS.health, protocol: "TCP" },
      ...dashboard.kind === "tls" ? [{ name: "dashboard", containerPort: PORTS.dashboard, protocol: "TCP" }] : [],
    ],
    livenessProbe: { httpGet: probe("/livez"), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    readinessProbe: { httpGet: probe("/readyz"), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3 },
    resources: install.resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      privileged: false,
      readOnlyRootFilesystem: true,
    },
    ...mountsOf(install),
  };
}

/** Returns the field with the volumes; without a volume, no field. */
function volumesOf({ dashboard, history, receivers }: Install): { volumes?: Volume[] } {
  const volumes = [
    ...dashboard.kind === "tls"
      ? [{ name: "dashboard-tls", secret: { secretName: dashboard.secret, defaultMode: 0o440 } }]
      : [],
    ...history.kind === "pod" ? [{ name: "history", emptyDir: {} }] : [],
    ...receivers.flatMap(receiverVolumes),
  ];
  return volumes.length > 0 ? { volumes } : {};
}

function mountsOf({ dashboard, history, receivers }: Install): { volumeMounts?: VolumeMount[] } {
  const volumeMounts = [
    ...dashboard.kind === "tls" ? [{ name: "dashboard-tls", mountPath: DASHBOARD_TLS, readOnly: true }] : [],
    ...history.kind === "none" ? [] : [{ name: "history", mountPath: HISTORY }],
    ...receivers.flatMap(receiverMounts),
  ];
  return volumeMounts.length > 0 ? { volumeMounts } : {};
}

function probe(path: string): HTTPGetAction {
  return { path, port: "health" };
}

/** Prefers a spread, and does not require it: on a cluster of one node both replicas run there. */
function spreadOver(topologyKey: string): TopologySpreadConstraint {
  return {
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: LABELS },
    // Otherwise a rollout would count the replicas that are about to go.
    matchLabelKeys: ["pod-template-hash"],
  };
}

/** Lets one replica at a time be evicted, and any that is not ready, which must not hold up a node's drain. */
export const POD_DISRUPTION_BUDGET: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: NAME, namespace: NAMESPACE, labels: LABELS },
  spec: { maxUnavailable: 1, selector: { matchLabels: LABELS }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
};
