/** What becomes of a run when the clocks are changed. */
export interface ClockChangePolicy {
  /**
   * A local time that a forward change skips: `Skip` does not run it, `RunAfter` runs once at the first instant after the
   * gap if at least one run fell into it.
   */
  readonly gap: "Skip" | "RunAfter";
  /** A local time that a backward change repeats runs in `Both` passes, or only in the `First` or the `Second`. */
  readonly overlap: "Both" | "First" | "Second";
}

/** What Kubernetes does. */
export const KUBERNETES_CLOCK_CHANGES: ClockChangePolicy = { gap: "Skip", overlap: "Both" };
