import type { Service } from "kubernetes-types/core/v1";
import type { NetworkPolicy } from "kubernetes-types/networking/v1";
import { type Install, LABELS, NAME, NAMESPACE, PORTS } from "./install.ts";

export const METRICS_SERVICE: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: `${NAME}-metrics`, namespace: NAMESPACE, labels: LABELS },
  spec: {
    type: "ClusterIP",
    selector: LABELS,
    ports: [{ name: "metrics", port: PORTS.metrics, targetPort: "metrics", protocol: "TCP" }],
  },
};

/** People come over TLS, each with a bearer token of their own. */
export const DASHBOARD_SERVICE: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: `${NAME}-dashboard`, namespace: NAMESPACE, labels: LABELS },
  spec: {
    type: "ClusterIP",
    selector: LABELS,
    ports: [{ name: "https", port: 443, targetPort: "dashboard", protocol: "TCP" }],
  },
};

/** Where from people come to the dashboard: an ingress controller's namespace carries this label. */
const DASHBOARD_READERS = { dashboard: "enabled" } as const;

/** Who may read the metrics, which name every CronJob: the namespaces that carry this label, as Kubebuilder's projects have it. */
const METRICS_READERS = { metrics: "enabled" } as const;

/** Where API servers listen: most clusters; kubeadm, k3s, kind; minikube; MicroK8s. Policies see the port behind the Service. */
const API_SERVER_PORTS = [443, 6443, 8443, 16443];

export function networkPolicyOf({ dashboard }: Pick<Install, "dashboard">): NetworkPolicy {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: NAME, namespace: NAMESPACE, labels: LABELS },
    spec: {
      podSelector: { matchLabels: LABELS },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        { from: [{ namespaceSelector: { matchLabels: METRICS_READERS } }], ports: [tcp(PORTS.metrics)] },
        ...dashboard.kind === "tls"
          ? [{ from: [{ namespaceSelector: { matchLabels: DASHBOARD_READERS } }], ports: [tcp(PORTS.dashboard)] }]
          : [],
        // From the nodes, whose addresses no selector knows.
        { ports: [tcp(PORTS.health)] },
      ],
      egress: [
        {
          to: [{
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
            podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
          }],
          ports: [{ port: 53, protocol: "UDP" }, tcp(53)],
        },
        { ports: API_SERVER_PORTS.map(tcp) },
      ],
    },
  };
}

function tcp(port: number) {
  return { port, protocol: "TCP" };
}
