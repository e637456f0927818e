import type { DeepReadonly, ObjectMeta } from "../../kube/object.ts";
import { MANAGED, RELEASING_VALUE, SUSPEND } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import type { CronJobObject } from "./types.ts";

/**
 * The controller that runs a CronJob, and the consequences. kube-controller-manager runs every `batch/v1` CronJob that
 * is not suspended, and looks after the Jobs, finished or not, whose owner reference names their CronJob as their
 * controller. It leaves alone whatever Job only has it as an owner, even one that `status.active` lists.
 *
 * Invariant: where kube-controller-manager is there too, it and this controller never both keep one CronJob's status, and
 * Jobs that are not in that controller's hands are on their way there.
 */
export interface Stewardship {
  /** Whether status and history are ours to keep. If not, nothing of the CronJob is written. */
  readonly keepsStatus: boolean;
  /** The value of `controller` in owner references of Jobs. */
  readonly controlsJobs: boolean;
  /** Where it stands that the CronJob is suspended. */
  readonly suspendedIn: "spec" | "annotation";
  /** Of adopted ones: whether another controller runs it all the same. */
  readonly isContested?: boolean;
  /** Why no run is started at all, not even by hand. */
  readonly closed?: { readonly reason: "Releasing" | "NotSuspended"; readonly message: string };
  /** Whether it goes back to kube-controller-manager once its Jobs are handed over. */
  readonly ends?: boolean;
}

/** No other controller runs it. */
const OWN: Stewardship = { keepsStatus: true, controlsJobs: true, suspendedIn: "spec" };

/** kube-controller-manager takes it for suspended. */
const ADOPTED: Stewardship = { keepsStatus: true, controlsJobs: false, suspendedIn: "annotation", isContested: false };

const RELEASING: Stewardship = {
  keepsStatus: true,
  controlsJobs: true,
  suspendedIn: "annotation",
  closed: { reason: "Releasing", message: "The CronJob is being released" },
  ends: true,
};

/** It was adopted, and kube-controller-manager runs it all the same: two would start each run. */
const CONTESTED: Stewardship = {
  isContested: true,
  keepsStatus: false,
  controlsJobs: true,
  suspendedIn: "annotation",
  closed: {
    reason: "NotSuspended",
    message: `annotation ${MANAGED} is "true" but spec.suspend is not true, so kube-controller-manager runs this ` +
      "CronJob: it is left alone until spec.suspend is true, or the annotation is gone",
  },
};

export const MANAGED_VALUES = ["true", "false", RELEASING_VALUE] as const;

/** Returns who runs a CronJob, by the annotation `managed` and `spec.suspend` alone. */
export function stewardshipOf(flavour: Flavour, cronJob: DeepReadonly<CronJobObject>): Stewardship {
  const managed = flavour.adoptable ? cronJob.metadata.annotations?.[MANAGED] : undefined;
  const isSuspended = cronJob.spec.suspend === true;
  switch (managed) {
    case "true":
      return isSuspended ? ADOPTED : CONTESTED;
    case RELEASING_VALUE:
      return { ...RELEASING, keepsStatus: isSuspended };
    default:
      return OWN;
  }
}

/** Returns whether `managed` says nothing that is known: such a CronJob counts as not adopted. */
export function isManagedUnread(
  { metadata: { annotations } }: { readonly metadata: Pick<DeepReadonly<ObjectMeta>, "annotations"> },
): boolean {
  const managed = annotations?.[MANAGED];
  return managed !== undefined && !(MANAGED_VALUES as readonly string[]).includes(managed);
}

/** Returns whether it is marked as adopted, or is on its way back. */
export function isManaged(
  { metadata: { annotations } }: { readonly metadata: Pick<DeepReadonly<ObjectMeta>, "annotations"> },
): boolean {
  return annotations?.[MANAGED] === "true" || annotations?.[MANAGED] === RELEASING_VALUE;
}

/** Returns whether the CronJob is suspended in the place that its stewardship counts. */
export function isSuspended({ suspendedIn }: Stewardship, { metadata, spec }: DeepReadonly<CronJobObject>): boolean {
  return suspendedIn === "spec" ? spec.suspend === true : metadata.annotations?.[SUSPEND] === "true";
}
