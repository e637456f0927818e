import { option } from "./options.ts";

/** The choice of a cluster. */
export interface ConnectionOptions {
  kubeconfig?: string;
  context?: string;
}

/** The flags of `ConnectionOptions`, by kubectl's names. */
export const CONNECTION_OPTIONS = [
  option(
    "--kubeconfig <file>",
    "how to reach the cluster (default: the Pod's service account, else $KUBECONFIG, else ~/.kube/config)",
  ),
  option("--context <name>", "a context of the kubeconfig (default: its current one)"),
];
