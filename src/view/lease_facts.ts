import type { DeepReadonly } from "../kube/object.ts";
import { keyOf } from "../kube/object.ts";
import type { Lease } from "../kube/resource.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";

/** What is known of who led: what the Lease says, or why that is not known. */
export type LeaseFacts =
  | {
    readonly kind: "lease";
    /** `cronjob-controller-system/80807133.tutorial.kubebuilder.io` */
    readonly key: string;
    /** Empty where it was given back. */
    readonly holder: string;
    readonly heldSince: EpochMs | undefined;
    readonly renewedAt: EpochMs | undefined;
    /** Until when the holder led, unless it is renewed again. */
    readonly endsAt: EpochMs | undefined;
  }
  | { readonly kind: "missing"; readonly key: string }
  | { readonly kind: "forbidden"; readonly key: string };

/** Reads a Lease as it stands, whether it has run out or not. */
export function readLease(lease: DeepReadonly<Lease>): LeaseFacts {
  const { holderIdentity, acquireTime, renewTime, leaseDurationSeconds = 0 } = lease.spec ?? {};
  const renewedAt = parseTime(renewTime);
  return {
    kind: "lease",
    key: keyOf(lease),
    holder: holderIdentity ?? "",
    heldSince: parseTime(acquireTime),
    renewedAt,
    endsAt: renewedAt === undefined ? undefined : renewedAt + leaseDurationSeconds * 1_000,
  };
}
