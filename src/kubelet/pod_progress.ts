import type { EpochMs } from "../schedule/epoch_ms.ts";

/**
 * How far this node has come with a Pod.
 *
 * ```
 * unread -> untaken -> running -> over -> deleted -> removing -> removed
 * ```
 */
export type PodProgress =
  /** What former lives of the program left of it is still to be read. */
  | { readonly kind: "unread" }
  | { readonly kind: "untaken" }
  /** Its containers run as `decide` says, until they are over. */
  | { readonly kind: "running" }
  /** Nothing runs and nothing will. */
  | { readonly kind: "over" }
  /** The API server has been asked to let go of it. */
  | { readonly kind: "deleted" }
  /** The API server has it no more. */
  | { readonly kind: "removing"; readonly at: EpochMs }
  | { readonly kind: "removed" };
