import { controllerOf, type DeepReadonly, type ObjectName } from "../../kube/object.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import {
  ABOUT,
  LAST_TRIGGER,
  MANAGED,
  NEXT_SCHEDULE_TIME,
  PASSED_OVER,
  PAUSE,
  RELEASING_VALUE,
  SCHEDULE,
  SUSPEND,
  TRIGGER,
  WAITING,
} from "../api/annotations.ts";
import type { CronJobEdit, EditTarget } from "../api/cron_job_edit.ts";
import { BATCH } from "../api/flavour.ts";
import { findPause, isPaused, readPauseNote, writePauseNote } from "../api/pause.ts";
import { isManaged } from "../api/stewardship.ts";
import type { CronJobObject } from "../api/types.ts";

/** The manager in `managedFields` that adopts CronJobs and gives them back. */
const ADOPTION_MANAGER = "cronjob-controller-adoption";

/** Returns how the edits of adoption are made: it can be seen when they last wrote `spec.suspend`. */
export function adoptionTarget(name: ObjectName): EditTarget {
  return { ...name, resource: BATCH.resource, fieldManager: ADOPTION_MANAGER };
}

/**
 * To kube-controller-manager it is suspended from then on; whether it was becomes our own pause. What waited when this
 * program let go of it may have been run since.
 */
export function adoptEdit(cronJob: DeepReadonly<CronJobObject>): CronJobEdit {
  const { metadata: { annotations }, spec } = cronJob;
  if (isManaged(cronJob)) {
    return { annotations: { [MANAGED]: "true", [SUSPEND]: annotations?.[SUSPEND] ?? null }, spec: { suspend: true } };
  }
  const stale: CronJobEdit["annotations"] = annotations?.[WAITING] === undefined ? {} : { [WAITING]: null };
  const pause = spec.suspend === true ? "true" : null;
  const about = aboutAdoption(cronJob.metadata);
  return {
    annotations: { [ABOUT]: about, [MANAGED]: "true", [SUSPEND]: pause, ...stale },
    spec: { suspend: true },
  };
}

/** Returns what people read who meet the CronJob in a tool that shows it as suspended. */
function aboutAdoption({ name, namespace }: DeepReadonly<CronJobObject>["metadata"]): string {
  return "cronjob-controller runs this CronJob as long as spec.suspend is true, which keeps kube-controller-manager from " +
    `running it too. To hold its runs back: cronjob-controller pause ${name} -n ${namespace}. To give it back: ` +
    `cronjob-controller release ${name} -n ${namespace}, or set the annotation ${MANAGED} to "${RELEASING_VALUE}"`;
}

/** Asks the controller to let go: it stops starting runs, hands the Jobs over and then makes the {@linkcode releaseEdit}. */
export const LET_GO: CronJobEdit = { annotations: { [MANAGED]: RELEASING_VALUE } };

/**
 * Returns the reverse. What was started by hand stays noted, so that another adoption does not start it again; a request
 * without an answer, and a pause that is over, must have no effect then.
 */
export function releaseEdit(cronJob: DeepReadonly<CronJobObject>, now: EpochMs): CronJobEdit {
  const { metadata, spec } = cronJob;
  const pause = readPauseNote(cronJob);
  const isPausedToo = isPaused(findPause(pause), now);
  // kube-controller-manager knows no pause: it is suspended in its place, and the annotation still says whose that is.
  const note: CronJobEdit["annotations"] = pause.kind !== "note"
    ? {}
    : isPausedToo
    ? { [PAUSE]: writePauseNote({ ...pause.note, until: undefined, suspends: true }) }
    : pause.note.suspends
    ? {}
    : { [PAUSE]: null };
  const { [TRIGGER]: asked, [LAST_TRIGGER]: answered } = metadata.annotations ?? {};
  const trigger: CronJobEdit["annotations"] = asked === answered ? {} : { [TRIGGER]: null };
  return {
    annotations: {
      [ABOUT]: null,
      [MANAGED]: null,
      [SUSPEND]: null,
      [NEXT_SCHEDULE_TIME]: null,
      [PASSED_OVER]: null,
      [WAITING]: null,
      ...note,
      ...trigger,
    },
    // Where it isn't suspended any more, that is what a user wanted.
    spec: { suspend: spec.suspend === true && (metadata.annotations?.[SUSPEND] === "true" || isPausedToo) },
  };
}

/** Returns why a CronJob can't be adopted as it is, with the remedy; undefined: it can. */
export function whyNotAdopted(cronJob: DeepReadonly<CronJobObject>): string | undefined {
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const controller = controllerOf(cronJob);
  if (controller) {
    return `${controller.kind} ${controller.name} controls it and could undo the edits; let that set spec.suspend to true ` +
      `and the annotation ${MANAGED} to "true"`;
  }
  const applier = spec.suspend === true ? undefined : suspendAppliedBy(cronJob);
  if (applier !== undefined) {
    return `${applier} applies spec.suspend and would undo the edits; let that apply spec.suspend: true and the annotation ` +
      `${MANAGED}: "true"`;
  }
  const schedule = metadata.annotations?.[SCHEDULE];
  if (!isManaged(cronJob) && schedule !== undefined && schedule !== spec.schedule) {
    return `its annotation ${SCHEDULE} is ${
      JSON.stringify(schedule)
    } and would take the place of spec.schedule, which is ` +
      `${JSON.stringify(spec.schedule)}; make them equal, or take the annotation away`;
  }
  return undefined;
}

/** Returns the manager that sets `spec.suspend` by server-side apply: its next apply undoes what another sets there. */
function suspendAppliedBy({ metadata }: DeepReadonly<CronJobObject>): string | undefined {
  return metadata.managedFields?.find(({ operation, fieldsV1 }) =>
    operation === "Apply" && "f:suspend" in ((fieldsV1 as Record<string, Record<string, unknown>>)["f:spec"] ?? {})
  )?.manager;
}
