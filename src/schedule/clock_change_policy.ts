import type { ClockChangePolicy } from "./schedule.ts";

/** What Kubernetes does. */
export const KUBERNETES_CLOCK_CHANGES: ClockChangePolicy = { gap: "Skip", overlap: "Both" };
