import { type Child, isGoingAway } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";

/** The finished Jobs beyond the history limits, oldest first. An absent limit keeps all. */
export function beyondHistory(settings: Settings, children: readonly Child[]): Child[] {
  return [
    ...oldest(children.filter(({ state }) => state === "succeeded"), settings.successfulLimit),
    ...oldest(children.filter(({ state }) => state === "failed"), settings.failedLimit),
  ];
}

/** Jobs that are going away already still take a place: whoever deletes them has them deleted. */
function oldest(finished: readonly Child[], limit: number | undefined): Child[] {
  if (limit === undefined) return [];
  return finished.slice(0, Math.max(0, finished.length - limit)).filter((child) => !isGoingAway(child));
}
