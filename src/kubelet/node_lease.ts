import { ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { LEASES, NODES } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { formatMicroTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";

const logger = loggerFor("kubelet");

/** As Kubernetes' kubelet: renewed four times in the time that it is good for. */
const DURATION_SECONDS = 40;
const RENEW_MS = 10_000;

const NAMESPACE = "kube-node-lease";

export interface NodeLeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly name: string;
}

/** Renews the Lease by which others see that the node is alive, until `signal` is aborted. */
export async function keepNodeLease(options: NodeLeaseOptions, signal: AbortSignal): Promise<void> {
  const { clock, name } = options;
  while (!signal.aborted) {
    try {
      await renew(options);
    } catch (error) {
      logger.warn("Cannot renew the lease of node {node}, trying again: {error}", { node: name, error });
    }
    await clock.sleep(RENEW_MS, signal).catch(() => {});
  }
}

async function renew({ client, clock, name }: NodeLeaseOptions): Promise<void> {
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: DURATION_SECONDS,
    renewTime: formatMicroTime(clock.now()),
  };
  const patch = { type: "merge", body: { spec } } as const;
  const place = { name, namespace: NAMESPACE };
  if (await client.patch(LEASES, place, patch, { lane: "housekeeping" }).catch(ignoreNotFound)) return;
  const node = await client.get(NODES, { name });
  const owner = { apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid };
  const metadata = { ...place, ownerReferences: [owner] };
  await client.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
}
