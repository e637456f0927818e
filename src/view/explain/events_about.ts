import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { type EventFacts, isAbout } from "../event_facts.ts";
import type { Look } from "../look.ts";
import { scheduleOfLook } from "./asked_time.ts";

/** The Event of one of these reasons that is about a scheduled time, if there is one. */
export function eventAbout(look: Look, time: EpochMs, reasons: readonly string[]): EventFacts | undefined {
  const { events = [], cronJob: { metadata: { uid } } } = look.input;
  const following = scheduleOfLook(look)?.next(time);
  return events.find((event) =>
    event.regardingUid === uid && reasons.includes(event.reason) && isAbout(event, time, { uid, following })
  );
}
