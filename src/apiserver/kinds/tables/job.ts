import { type EpochMs, parseTime } from "../../../schedule/epoch_ms.ts";
import type { Json, ResourceTable } from "../../resource_kind.ts";
import { containerImages, containerNames, humanDuration, selectorText, since } from "./cells.ts";
import { AGE, CONTAINERS, IMAGES, NAME, SELECTOR, text } from "./columns.ts";

export const JOB_TABLE: ResourceTable = {
  columns: [
    NAME,
    text("Status", "Status of the job."),
    text(
      "Completions",
      "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.",
    ),
    text("Duration", "Time required to complete the job."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  row(job, now) {
    const { metadata, spec } = job;
    return {
      cells: [
        metadata.name,
        jobStatus(job),
        completions(job),
        duration(job, now),
        since(metadata.creationTimestamp, now),
        containerNames(spec.template.spec),
        containerImages(spec.template.spec),
        selectorText(spec.selector),
      ],
    };
  },
};

/** Conditions that say how a Job is, the decisive first. */
const STATES = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobStatus({ metadata, status = {} }: Json): string {
  const state = STATES.find((type) =>
    (status.conditions ?? []).some((one: Json) => one.type === type && one.status === "True")
  );
  if (state === "Complete" || state === "Failed") return state;
  if (metadata.deletionTimestamp) return "Terminating";
  return state ?? "Running";
}

function completions({ spec, status = {} }: Json): string {
  const done = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function duration({ status = {} }: Json, now: EpochMs): string {
  const start = parseTime(status.startTime);
  if (start === undefined) return "";
  const failed = (status.conditions ?? []).find((one: Json) => one.type === "Failed" && one.status === "True");
  const end = parseTime(status.completionTime) ?? parseTime(failed?.lastTransitionTime) ?? now;
  return humanDuration(end - start);
}
