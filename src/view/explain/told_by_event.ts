import type { EpochMs } from "../../base/epoch_ms.ts";
import type { EventFacts } from "../event_facts.ts";
import type { Look } from "../look.ts";
import { timeInWords } from "./asked_time.ts";
import { did } from "./did_not_run.ts";
import { eventAbout } from "./events_about.ts";
import type { Verdict, VerdictKind } from "./explanation.ts";
import { whySkipped } from "./run_verdict.ts";

/** Reasons of Events that say what became of a time. */
const TOLD: ReadonlyMap<string, readonly [VerdictKind, string]> = new Map([
  ["JobAlreadyActive", ["Skipped", "skipped"]],
  ["MissSchedule", ["Missed", "missed"]],
  ["JobNameTaken", ["Missed", "missed"]],
  ["FailedCreate", ["NotStarted", "its Job could not be created"]],
]);

/** Returns what an Event about a time says of it. */
export function toldByEvent(look: Look, time: EpochMs): Verdict | undefined {
  const event = eventAbout(look, time, [...TOLD.keys()]);
  const told = event && TOLD.get(event.reason);
  if (!told) return undefined;
  const [kind, what] = told;
  const { scheduled } = look.findings;
  const isDue = scheduled.kind === "start" && scheduled.request.scheduledTime === time;
  if (event.reason === "FailedCreate" && !isDue && !isDefinite(event)) {
    const at = timeInWords(time, look);
    const message = `may have run at ${at}, or not: the API server did not say whether it created its Job`;
    return { kind: "Unknown", message, why: event.message };
  }

  const why = kind === "Skipped" ? whySkipped(look, time, event.reason) : event.message;
  return did(isDue ? "Overdue" : kind, time, look, what, why);
}

/** How an API server says that it surely did not do what it was asked. One that fails, or stops waiting, may have. */
const REFUSALS = /\bis (forbidden|invalid)\b|denied the request|exceeded quota|not found/;

function isDefinite({ message }: EventFacts): boolean {
  return REFUSALS.test(message);
}
