import { formatTime } from "../../schedule/epoch_ms.ts";
import { LAST_TRIGGER, NEXT_SCHEDULE_TIME } from "../api/annotations.ts";
import type { Findings } from "../decision/decide.ts";
import type { Plan } from "../decision/plan.ts";

/** What a closed status has no room for, as annotations; undefined where they say it already. */
export function annotationsToWrite({ world, runs, manual }: Findings): Plan["annotations"] {
  const { api, cronJob, annotateNextRun } = world;
  if (api.openStatus || cronJob.metadata.deletionTimestamp !== undefined) return undefined;
  const wanted: Record<string, string | null> = {};
  if (manual.kind === "done" || manual.kind === "skip") wanted[LAST_TRIGGER] = manual.occasion.id;
  if (annotateNextRun) {
    wanted[NEXT_SCHEDULE_TIME] = runs.slots.next === undefined ? null : formatTime(runs.slots.next);
  }
  const present = cronJob.metadata.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => (present[name] ?? null) !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
