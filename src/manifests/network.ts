import type { Service } from "kubernetes-types/core/v1";
import type { NetworkPolicy } from "kubernetes-types/networking/v1";
import { receiverEgress, tcp } from "./receivers.ts";
import { type Install, LABELS, NAME, NAMESPACE, PORTS } from "./install.ts";

export const METRICS_SERVICE = serviceOf("metrics", { name: "metrics", port: PORTS.metrics });

/** Users connect over TLS, each with a bearer token of their own. */
export const DASHBOARD_SERVICE = serviceOf("dashboard", { name: "https", port: 443 });

/** Returns the Service that is named after the port of the container that it leads to. */
function serviceOf(targetPort: string, { name, port }: { readonly name: string; readonly port: number }): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${NAME}-${targetPort}`, namespace: NAMESPACE, labels: LABELS },
    spec: { type: "ClusterIP", selector: LABELS, ports: [{ name, port, targetPort, protocol: "TCP" }] },
  };
}

/** Namespaces with this label, such as an ingress controller's, may reach the dashboard. */
const DASHBOARD_READERS = { dashboard: "enabled" } as const;

/** Namespaces with this label may read the metrics, which name every CronJob; Kubebuilder's projects have the same label. */
const METRICS_READERS = { metrics: "enabled" } as const;

/** Ports of API servers: most clusters; kubeadm, k3s, kind; minikube; MicroK8s. Policies see the port behind the Service. */
const API_SERVER_PORTS = [443, 6443, 8443, 16443];

/** Returns the policy that lets metrics, the dashboard and probes in, and requests to DNS, API server and receivers out. */
export function networkPolicyOf(
  { dashboard, history, receivers }: Pick<Install, "dashboard" | "history" | "receivers">,
): NetworkPolicy {
  // A replica may read the history of another.
  const peers = history.kind !== "none" && dashboard.kind === "tls" ? [{ podSelector: { matchLabels: LABELS } }] : [];
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
          ? [{
            from: [{ namespaceSelector: { matchLabels: DASHBOARD_READERS } }, ...peers],
            ports: [tcp(PORTS.dashboard)],
          }]
          : [],
        // Probes come from the nodes, whose addresses no selector knows.
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
        ...peers.map((peer) => ({ to: [peer], ports: [tcp(PORTS.dashboard)] })),
        ...receivers.flatMap(receiverEgress),
      ],
    },
  };
}
