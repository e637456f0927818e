import { isDeepStrictEqual } from "node:util";
import { CONFIG_MAPS } from "../kinds/config_map.ts";
import { SERVICE_ACCOUNTS } from "../kinds/service_account.ts";
import type { ServerContext } from "../operations/context.ts";
import { NAMESPACE_STORAGE } from "../operations/namespace_gate.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { type Change, parse } from "../storage/stored_object.ts";
import { BackgroundWork } from "./background_work.ts";
import { make } from "./defaults.ts";

/** One object that every namespace has. */
export interface NamespaceContent {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Put back when it is changed. */
  readonly data?: Readonly<Record<string, string>>;
}

/** That of kube-controller-manager's `serviceaccount`. */
export const DEFAULT_SERVICE_ACCOUNT: NamespaceContent = { kind: SERVICE_ACCOUNTS, name: "default" };

/** That of kube-controller-manager's `root-ca-cert-publisher`. */
export function rootCaConfigMap(caCertificate: string): NamespaceContent {
  const description = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal " +
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across " +
    "distributions of Kubernetes clusters.";
  return {
    kind: CONFIG_MAPS,
    name: "kube-root-ca.crt",
    annotations: { "kubernetes.io/description": description },
    data: { "ca.crt": caCertificate },
  };
}

/** Keeps in each namespace, until it is deleted, what all of them have. */
export class NamespaceContents extends BackgroundWork {
  readonly #contents: readonly NamespaceContent[];

  constructor(context: ServerContext, contents: readonly NamespaceContent[]) {
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
        this.#contents.some(({ kind, name }) => kind.storage === object.resource && name === object.name)
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

function keep(tx: Transaction, namespace: string, { kind, name, annotations, data }: NamespaceContent): void {
  const stored = tx.get(kind.storage, namespace, name);
  const given: Json = { ...(data && { data }) };
  if (!stored) return make(tx, kind, namespace, { metadata: { name, ...(annotations && { annotations }) }, ...given });
  const object = parse(stored);
  if (data && !isDeepStrictEqual(object.data, data)) tx.put(kind.storage, { ...object, ...given });
}
