import type { Unstored } from "../kube/object.ts";
import type { Lease } from "../kube/resource.ts";
import { type EpochMs, formatMicroTime } from "../base/epoch_ms.ts";

/** client-go spreads the attempts of candidates by up to this factor. */
export const ACQUIRE_JITTER = 1.2;

/** Candidates that have seen the same renewal try to follow it within this time, not all at once. */
const EXPIRY_SPREAD_MS = 100;

/** How long a leader leads without a renewal, and how often it renews. {@linkcode misfitOf} checks that they fit each other. */
export interface LeaseTimings {
  /** How long others wait, since they last saw the lease renewed, before they take it. At least 1 s, its unit in the API. */
  readonly leaseDurationMs: number;
  /** How long the leader goes on without being able to renew. */
  readonly renewDeadlineMs: number;
  /** The time between two attempts to get the lease, or to renew it. */
  readonly retryPeriodMs: number;
}

/** A lease as it was last seen. */
export interface Observed {
  readonly lease: Lease;
  /** Monotonic. */
  readonly at: number;
}

/** The last time that this candidate surely held the lease: when it began to write so. */
export interface Renewal {
  readonly monotonic: number;
  readonly wall: EpochMs;
}

/** Returns the first time that does not fit the others, as a leader could still write when the next may lead; or undefined. */
export function misfitOf(timings: LeaseTimings): keyof LeaseTimings | undefined {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timings;
  if (!(leaseDurationMs >= 1_000)) return "leaseDurationMs";
  if (!(renewDeadlineMs < leaseDurationMs)) return "renewDeadlineMs";
  return retryPeriodMs > 0 && retryPeriodMs * ACQUIRE_JITTER < renewDeadlineMs ? undefined : "retryPeriodMs";
}

/** Returns why it is not sure that the candidate of this renewal leads; undefined where it is. */
export function doubtOf(renewal: Renewal | undefined, now: Renewal, renewDeadlineMs: number): string | undefined {
  if (!renewal) return "another one leads";
  // The monotonic clock stands still while a machine sleeps. The wall clock shows that, unless it was set back.
  const sinceMs = Math.max(now.monotonic - renewal.monotonic, now.wall - renewal.wall);
  return sinceMs < renewDeadlineMs ? undefined : `the lease was not renewed for ${Math.round(sinceMs)} ms`;
}

/** Returns how long to wait for the next attempt: as in client-go, but not past the end of the lease that is held. */
export function nextAttemptMs(
  observed: Observed | undefined,
  { monotonic, retryPeriodMs, random }: { monotonic: number; retryPeriodMs: number; random: () => number },
): number {
  const periodMs = retryPeriodMs * (1 + ACQUIRE_JITTER * random());
  if (!observed) return periodMs;
  const leftMs = heldUntil(observed) - monotonic;
  return leftMs > 0 ? Math.min(periodMs, leftMs + EXPIRY_SPREAD_MS * random()) : periodMs;
}

/** Returns whether `identity` may write its name into the lease. */
export function mayTake(observed: Observed, identity: string, monotonic: number): boolean {
  const { holderIdentity } = observed.lease.spec ?? {};
  return !holderIdentity || holderIdentity === identity || monotonic >= heldUntil(observed);
}

/** Returns the lease with the holder's name in it, renewed at `now`. */
export function heldLease(
  base: Unstored<Lease>,
  { identity, leaseDurationMs, now, annotations }: {
    identity: string;
    leaseDurationMs: number;
    now: EpochMs;
    annotations?: Readonly<Record<string, string>> | undefined;
  },
): Unstored<Lease> {
  const { spec, metadata } = base;
  const renewTime = formatMicroTime(now);
  const stays = spec?.holderIdentity === identity;
  return {
    ...base,
    ...annotations && { metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } },
    spec: {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
      renewTime,
      acquireTime: stays ? spec?.acquireTime ?? renewTime : renewTime,
      leaseTransitions: (spec?.leaseTransitions ?? 0) + (stays || !metadata.resourceVersion ? 0 : 1),
    },
  };
}

/** Returns the lease as it is given back: free for the next candidate. */
export function freeLease(lease: Lease, now: EpochMs): Lease {
  const renewTime = formatMicroTime(now);
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime, acquireTime: renewTime };
  return { ...lease, spec };
}

/** Returns until when no other candidate may take the lease, on the monotonic clock of who observed it. */
function heldUntil({ lease, at }: Observed): number {
  return at + (lease.spec?.leaseDurationSeconds ?? 0) * 1_000;
}
