interface Parts {
  name?: string;
  cluster?: Record<string, unknown>;
  user?: Record<string, unknown>;
  namespace?: string;
}

/** A kubeconfig with one context, cluster and user, all of one name. JSON is YAML. */
export function kubeconfig({ name = "main", cluster, user, namespace }: Parts = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
    users: [{ name, user: user ?? { token: "secret" } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    "current-context": name,
  });
}
