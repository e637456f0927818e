import type { ClockChangePolicy } from "./schedule.ts";

/** The policy of Kubernetes. */
export const KUBERNETES_CLOCK_CHANGES: ClockChangePolicy = { gap: "Skip", overlap: "Both" };
