import { readyOrAborted } from "./controller.ts";

/** A cache as far as taking over is concerned: an `Informer`. */
export interface FollowingCache {
  ready(): Promise<void>;
  refresh(): Promise<void>;
}

/** Resolves when this process may work: a `LeaderElection`. */
export interface Leading {
  ready(): Promise<void>;
}

/**
 * Resolves when work on these caches may begin. Without `leading` that is once they are filled. With it, they are filled
 * and followed while another process leads; and when it is this one's turn, they are listed once more.
 *
 * ### Guarantees
 * What the caches hold then is at least as new as everything that a former leader did. A list without a version is a
 * consistent read: it has every write that was answered before it was asked for. It is asked for after the lease was won;
 * before that, the former leader gave the lease back, all of its work having ended, or its guard had let nothing pass for
 * `leaseDuration - renewDeadline`. The caches may be listed in any order, and at the same time, as nobody writes between.
 *
 * ### Caveats
 * No watch can stand in for the list. Versions are opaque, so nothing tells whether a watch has delivered everything that
 * was written before the lease changed hands; and one that hangs is noticed after minutes only.
 *
 * A write of the former leader's that left before its guard closed, and arrives after the list, is not in it. That is what
 * deterministic names and preconditions are for.
 */
export async function takeOver(
  caches: readonly FollowingCache[],
  { leading, signal }: { leading: Leading | undefined; signal: AbortSignal },
): Promise<boolean> {
  if (!leading) return await readyOrAborted(caches, signal);
  if (!await readyOrAborted([leading], signal)) return false;
  return await readyOrAborted(caches.map((cache) => ({ ready: () => cache.refresh() })), signal);
}
