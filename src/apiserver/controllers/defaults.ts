import { isDeepStrictEqual } from "node:util";
import { NAMESPACES } from "../kinds/namespace.ts";
import { SERVICES } from "../kinds/service.ts";
import type { ServerContext } from "../operations/context.ts";
import { create } from "../operations/create.ts";
import { IMMORTAL } from "../operations/namespace_gate.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { parse } from "../storage/stored_object.ts";

/** Makes the namespaces that every cluster has, where they are not there. */
export async function createDefaults({ storage }: ServerContext): Promise<void> {
  await storage.write((tx) => {
    for (const name of IMMORTAL) keep(tx, "", { kind: NAMESPACES, content: { metadata: { name } } });
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
  const content = { metadata, spec, status: { loadBalancer: {} } };
  await storage.write((tx) => keep(tx, "default", { kind: SERVICES, content, field: "spec" }));
}

/** An object that is always there. */
export interface Kept {
  readonly kind: ResourceKind;
  readonly content: Json;
  /** Put back when it is changed. */
  readonly field?: string;
}

/** Sees to it as a controller of the server's own does. */
export function keep(tx: Transaction, namespace: string, { kind, content, field }: Kept): void {
  const stored = tx.get(kind.storage, namespace, content.metadata.name);
  if (!stored) {
    const creation = { kind, namespace, options: { dryRun: false }, manager: undefined, warnings: [] };
    create(tx, kind.read(content).object, creation);
    return;
  }
  const object = parse(stored);
  if (!field || isDeepStrictEqual(object[field], content[field])) return;
  tx.put(kind.storage, { ...object, [field]: content[field] });
}
