import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { EventFacts } from "../event_facts.ts";
import type { Look } from "../look.ts";
import { timeInWords } from "./asked_time.ts";
import { did } from "./did_not_run.ts";
import { eventAbout } from "./events_about.ts";
import type { Verdict, VerdictKind } from "./explanation.ts";
import { whySkipped } from "./run_verdict.ts";

/** Reasons of Events that tell what became of a time. */
const TOLD: Readonly<Record<string, readonly [VerdictKind, string]>> = {
  JobAlreadyActive: ["Skipped", "skipped"],
  MissSchedule: ["Missed", "missed"],
  JobNameTaken: ["Missed", "missed"],
  FailedCreate: ["NotStarted", "its Job could not be created"],
};

/** What an Event about a time says of it. */
export function toldByEvent(look: Look, time: EpochMs): Verdict | undefined {
  const event = eventAbout(look, time, Object.keys(TOLD));
  if (!event) return undefined;
  const { scheduled } = look.findings;
  const isDue = scheduled.kind === "start" && scheduled.request.scheduledTime === time;
  if (event.reason === "FailedCreate" && !isDue && !isDefinite(event)) {
    const at = timeInWords(time, look);
    const message = `may have run at ${at}, or not: the API server did not say whether it created its Job`;
    return { kind: "Unknown", message, why: event.message };
  }
  const [kind, what] = TOLD[event.reason];
  const why = kind === "Skipped" ? whySkipped(look, time, event.reason) : event.message;
  return did(isDue ? "Overdue" : kind, time, look, what, why);
}

/** How an API server says that it surely did not do what it was asked. One that fails, or gives up waiting, may have. */
const REFUSALS = /\bis (forbidden|invalid)\b|denied the request|exceeded quota|not found/;

function isDefinite({ message }: EventFacts): boolean {
  return REFUSALS.test(message);
}
