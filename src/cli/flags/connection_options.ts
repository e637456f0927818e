import { option, type OptionsOf } from "./options.ts";

/** The choice of a cluster, by kubectl's names. */
export const CONNECTION_OPTIONS = [
  option(
    "--kubeconfig <file>",
    "how to reach the cluster (default: the Pod's service account, else $KUBECONFIG, else ~/.kube/config)",
  ),
  option("--context <name>", "a context of the kubeconfig (default: its current one)"),
];

export type ConnectionOptions = OptionsOf<typeof CONNECTION_OPTIONS>;
