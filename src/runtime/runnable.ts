import type { HealthCheck } from "./health_check.ts";

/** Something that a `Manager` starts and stops: a watcher, a controller, a server. */
export interface Runnable {
  readonly name: string;
  /**
   * Works until `signal` is aborted, then finishes what is under way and resolves. A rejection is fatal to the whole
   * program: whatever can be retried is retried inside.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves once it is ready for those that build on it (a cache that has its first list, a port that listens). */
  ready?(): Promise<void>;
  /** Questions whether it does its work, once it runs. */
  readonly health?: readonly HealthCheck[];
}
