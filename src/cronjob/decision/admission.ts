import { admit } from "./concurrency.ts";
import type { Child } from "../api/job.ts";
import { jobNameFor, type Occasion } from "./job_template.ts";
import type { Settings } from "../api/settings.ts";
import type { World } from "./plan.ts";

/** What becomes of an occasion to run. */
export type Verdict<Of extends Occasion = Occasion> =
  | { readonly kind: "none" }
  /** Its Job exists; or a Job of somebody else has its name, and then it counts as run. */
  | { readonly kind: "done"; readonly occasion: Of }
  | { readonly kind: "start"; readonly occasion: Of; readonly replaces: readonly Child[] }
  /** The concurrency policy refuses it. */
  | { readonly kind: "skip"; readonly occasion: Of; readonly message: string }
  /** It starts when an active run has ended. */
  | { readonly kind: "wait"; readonly occasion: Of }
  /** Its Job could not be created just now. */
  | { readonly kind: "failed"; readonly occasion: Of; readonly message: string };

export function judge<Of extends Occasion>(
  world: World,
  { settings, children, occasion }: { settings: Settings; children: readonly Child[]; occasion: Of | undefined },
): Verdict<Of> {
  if (occasion === undefined) return { kind: "none" };
  const jobName = jobNameFor(world.api, world.cronJob, occasion);
  const exists = world.taken?.has(jobName) || children.some(({ job }) => job.metadata.name === jobName) ||
    (occasion.trigger === "Manual" && world.memory?.triggers?.has(occasion.id));
  if (exists) return { kind: "done", occasion };
  const { refusal } = world;
  if (refusal && (refusal.isUncertain || refusal.jobName === jobName)) {
    return { kind: "failed", occasion, message: refusal.message };
  }
  return { ...admit(settings, children), occasion };
}
