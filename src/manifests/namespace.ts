import type { Namespace, ServiceAccount } from "kubernetes-types/core/v1";
import { LABELS, NAME, NAMESPACE } from "./install.ts";

/** Admits only Pods that the restricted Pod Security Standard allows. */
export const NAMESPACE_OBJECT: Namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: NAMESPACE,
    labels: {
      ...LABELS,
      ...Object.fromEntries(
        ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]),
      ),
    },
  },
};

/** The account of the controller's Pods, which ask for its token; other Pods get none. */
export const SERVICE_ACCOUNT: ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: NAME, namespace: NAMESPACE, labels: LABELS },
  automountServiceAccountToken: false,
};
