import { readyOrAborted } from "../base/abort.ts";
import type { KubeObject } from "../kube/object.ts";
import type { ControllerObserver } from "./controller.ts";
import type { Informer } from "./informer.ts";

/** A cache as far as taking over is concerned. */
type FollowingCache = Pick<Informer<KubeObject>, "synced" | "ready" | "refresh">;

/** Resolves when this process may work: a `LeaderElection`. */
export interface Leading {
  ready(): Promise<void>;
  /** Whether it still may, as far as can be known. @default {true} */
  readonly isLeader?: boolean;
}

/** Options of a controller that has to take over where others run beside it. */
export interface StandByOptions {
  /** Absent: it works as soon as its caches are filled. */
  readonly leading?: Leading | undefined;
  readonly controllerObserver?: ControllerObserver;
  /** How long work under way may go on after the end was asked for. @default {5_000} */
  readonly drainMs?: number;
}

export interface TakeOverOptions<Cache> {
  /** Absent: there is no one to take over from. */
  leading: Leading | undefined;
  signal: AbortSignal;
  /** Called when it is this process's turn, and all up to this cache hold what they must. */
  onFresh?: (cache: Cache) => void;
}

/**
 * Resolves when work on these caches may begin: with true, or with false where `signal` was aborted before. Without
 * `leading` that is once they are filled. With it, they are filled and followed while another process leads; when it is
 * the turn of this one, each is listed once more, one after the other.
 *
 * ### Guarantees
 * The content of a cache then is at least as new as everything that a former leader did. A list without a version is a
 * consistent read: it has every write that was answered before it was asked for. It is asked for after the lease was won;
 * by then the former leader had given the lease back, all of its work having ended, or its guard had let nothing pass for
 * `leaseDuration - renewDeadline`. The order of the lists does not matter, as only this process writes between them.
 *
 * ### Caveats
 * No watch can stand in for the list. Versions are opaque, so nothing shows whether a watch has delivered everything that
 * was written before the lease changed hands; and one that hangs is noticed after minutes only.
 *
 * A write of the former leader's that left before its guard closed, and arrives after the list, is not in it. That is what
 * deterministic names and preconditions are for.
 */
export async function takeOver<Cache extends FollowingCache>(
  caches: readonly Cache[],
  { leading, signal, onFresh }: TakeOverOptions<Cache>,
): Promise<boolean> {
  if (!leading) return await readyOrAborted(caches, signal);
  if (!await readyOrAborted([leading], signal)) return false;
  // A first list that is under way began too early; to wait for it would be a waste.
  for (const cache of caches) if (!cache.synced) cache.refresh(leading);
  for (const cache of caches) {
    if (!await readyOrAborted([{ ready: () => cache.refresh(leading) }], signal)) return false;
    onFresh?.(cache);
  }
  return true;
}
