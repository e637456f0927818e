import type { EpochMs } from "../../base/epoch_ms.ts";
import { SinceSchedule } from "../../schedule/since_schedule.ts";
import type { StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { endOfUnit, startOfUnit } from "./start_point.ts";

/** Of several schedules the name of the first that a scheduled time is of, where Jobs are to know. */
export function scheduleNameAt(
  { cronJob: { settings, schedule, flavour } }: DecisionInput,
  { parts }: StartPoint,
  time: EpochMs,
): string | undefined {
  if (!settings.exposeSchedule || parts.length === 1 || schedule.kind === "problem") return undefined;
  // Times that share a Job's name share the Job.
  const at = schedule.parts.findIndex((part, i) =>
    new SinceSchedule(part, parts[i]!.since).count(startOfUnit(time, flavour) - 1, endOfUnit(time, flavour)) > 0
  );
  return settings.schedules[at]?.name;
}
