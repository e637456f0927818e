import { CONFIG_MAPS } from "../kinds/config_map.ts";
import { SERVICE_ACCOUNTS } from "../kinds/service_account.ts";
import type { ServerContext } from "../operations/context.ts";
import { NAMESPACE_STORAGE } from "../operations/namespace_gate.ts";
import type { Transaction } from "../storage/storage.ts";
import type { Change } from "../storage/stored_object.ts";
import { BackgroundWork } from "./background_work.ts";
import { keep, type Kept } from "./defaults.ts";

/** That of kube-controller-manager's `serviceaccount`. */
export const DEFAULT_SERVICE_ACCOUNT: Kept = { kind: SERVICE_ACCOUNTS, content: { metadata: { name: "default" } } };

/** That of kube-controller-manager's `root-ca-cert-publisher`. */
export function rootCaConfigMap(caCertificate: string): Kept {
  const description = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal " +
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across " +
    "distributions of Kubernetes clusters.";
  return {
    kind: CONFIG_MAPS,
    content: {
      metadata: { name: "kube-root-ca.crt", annotations: { "kubernetes.io/description": description } },
      data: { "ca.crt": caCertificate },
    },
    field: "data",
  };
}

/** Keeps in each namespace, until it is deleted, what all of them have. */
export class NamespaceContents extends BackgroundWork {
  readonly #contents: readonly Kept[];

  constructor(context: ServerContext, contents: readonly Kept[]) {
    super(context);
    this.#contents = contents;
    for (const { name } of context.storage.list(NAMESPACE_STORAGE)) this.add(name);
  }

  protected override follow(changes: readonly Change[]): void {
    for (const { type, object } of changes) {
      if (object.resource === NAMESPACE_STORAGE) {
        if (type === "ADDED") this.add(object.name);
      } else if (
        type !== "ADDED" &&
        this.#contents.some(({ kind, content }) =>
          kind.storage === object.resource && content.metadata.name === object.name
        )
      ) {
        this.add(object.namespace);
      }
    }
  }

  protected override work(tx: Transaction, namespace: string): void {
    const stored = tx.get(NAMESPACE_STORAGE, "", namespace);
    if (!stored || stored.metadata.deletionTimestamp !== undefined) return;
    for (const content of this.#contents) keep(tx, namespace, content);
  }
}
