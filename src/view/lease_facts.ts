import { readServes, type Serves } from "../cronjob/api/serves.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { keyOf } from "../kube/object.ts";
import type { Lease } from "../kube/resource.ts";
import { type EpochMs, formatTime, parseTime } from "../base/epoch_ms.ts";

/** The leader by its Lease, or why it is not known. */
export type LeaseFacts =
  | {
    readonly kind: "lease";
    /** `cronjob-controller-system/cronjob-controller` */
    readonly key: string;
    /** Empty where it was given back. */
    readonly holder: string;
    readonly heldSince: EpochMs | undefined;
    readonly renewedAt: EpochMs | undefined;
    /** Until when the holder led, unless it is renewed again. */
    readonly endsAt: EpochMs | undefined;
    /** The APIs that the holder runs; undefined where it does not say. */
    readonly serves?: Serves | undefined;
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
    serves: holderIdentity ? readServes(lease.metadata, holderIdentity) : undefined,
  };
}

/** Returns why no controller leads by a Lease, its times written by `timeOf`; undefined where one does, or may. */
export function whyNoLeader(
  lease: LeaseFacts,
  now: EpochMs,
  timeOf: (time: EpochMs) => string = formatTime,
): string | undefined {
  if (lease.kind !== "lease") return undefined;
  const { key, holder, renewedAt, endsAt = Infinity } = lease;
  if (holder !== "" && endsAt >= now) return undefined;
  const how = holder === "" ? "was given back" : `was last renewed by ${holder}`;
  return `no controller leads: Lease ${key} ${how}${renewedAt === undefined ? "" : ` at ${timeOf(renewedAt)}`}`;
}
