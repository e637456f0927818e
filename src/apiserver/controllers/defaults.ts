import { isDeepStrictEqual } from "node:util";
import { NAMESPACES } from "../kinds/namespace.ts";
import { SERVICES } from "../kinds/service.ts";
import type { ServerContext } from "../operations/context.ts";
import { create } from "../operations/create.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { parse } from "../storage/stored_object.ts";

const DEFAULT_NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Makes the namespaces that every cluster has, where they are not there. */
export async function createDefaults({ storage }: ServerContext): Promise<void> {
  await storage.write((tx) => {
    for (const name of DEFAULT_NAMESPACES) {
      if (!tx.get(NAMESPACES.storage, "", name)) make(tx, NAMESPACES, "", { metadata: { name } });
    }
  });
}

/** Says in Service `kubernetes` where this API is, for clients that look for it there. */
export async function publishService({ storage }: ServerContext, port: number): Promise<void> {
  const address = "127.0.0.1";
  const metadata = { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } };
  const spec = {
    ports: [{ name: "https", protocol: "TCP", port, targetPort: port }],
    clusterIP: address,
    clusterIPs: [address],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  };
  await storage.write((tx) => {
    const stored = tx.get(SERVICES.storage, "default", metadata.name);
    if (!stored) return make(tx, SERVICES, "default", { metadata, spec, status: { loadBalancer: {} } });
    const service = parse(stored);
    if (!isDeepStrictEqual(service.spec, spec)) tx.put(SERVICES.storage, { ...service, spec });
  });
}

/** As a controller of the server's own does it. */
export function make(tx: Transaction, kind: ResourceKind, namespace: string, content: Json): void {
  const { object } = kind.read(content);
  create(tx, object, { kind, namespace, options: { dryRun: false }, manager: undefined });
}
