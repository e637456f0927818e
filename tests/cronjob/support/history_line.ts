import { assert, assertEquals } from "@std/assert";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import type { History } from "./history.ts";
import type { Setting } from "./history_setting.ts";
import { backfilledSlots, startedSlots } from "./history_slots.ts";

/** Whether every missed run is caught up with. */
export function catchesUpAll({ spec, annotations }: Setting): boolean {
  return (spec.catchUp?.policy ?? annotations?.["cronjob-controller.dev/catch-up"]) === "All";
}

/** How many runs that are older than a missed one may be active when it starts; undefined where nothing is caught up with. */
function mostBeside(setting: Setting): number | undefined {
  const { catchUp, concurrencyPolicy } = setting.spec;
  if (!catchesUpAll(setting)) return undefined;
  return concurrencyPolicy === "Allow" ? (catchUp?.maxParallel ?? 1) - 1 : 0;
}

/** What has been missed starts one after the other, the oldest first. */
export function checkOrder(history: History, setting: Setting): void {
  const most = mostBeside(setting);
  if (most === undefined || history.edited || history.clockWasSet) return;
  const past = new Set(backfilledSlots(history).map(({ name }) => name));
  const slotOf = new Map(
    history.server.created.filter(({ job }) => !past.has(job.metadata.name)).map(({ job: { metadata } }) => [
      metadata.name,
      parseTime(metadata.annotations?.[setting.api.scheduledTimeAnnotation]),
    ]),
  );
  const due = history.dueSlots();
  for (const { job: { metadata }, at, beside } of history.server.created) {
    const slot = slotOf.get(metadata.name);
    const wasMissed = slot !== undefined &&
      due.some((other) => other > slot && other <= at);
    if (!wasMissed) continue;
    const older = beside.filter((name) => (slotOf.get(name) ?? Infinity) < slot);
    assert(older.length <= most, `${metadata.name} was missed, and started beside ${older}`);
  }
}

/** A scheduled time that was to start is started, or is recorded as waiting; and once all before it have ended, it starts. */
export async function checkLine(history: History, setting: Setting): Promise<void> {
  if (mostBeside(setting) === undefined || history.edited || history.clockWasSet) return;
  const isWhole = setting.spec.startingDeadlineSeconds === undefined;
  // Nothing joins a line while a creation fails.
  const wasRefused = (slot: EpochMs) =>
    history.events.some(({ reason, at, scheduledTime }) =>
      reason === "FailedCreate" && (scheduledTime === slot || (at >= slot && at < slot + 1_000))
    );
  const wanted = () =>
    history.dueSlots().filter((slot) => isWhole || (history.attended.has(slot) && !wasRefused(slot)));
  const absent = () => {
    const started = new Set([...startedSlots(history), ...backfilledSlots(history).map(({ slot }) => slot)]);
    return wanted().filter((slot) => !started.has(slot));
  };
  const { waiting } = readCronJob(setting.api, history.cronJob);
  const isWaiting = (slot: EpochMs) => waiting.some(({ after, before }) => after < slot && slot < before);
  assertEquals(absent().filter((slot) => !isWaiting(slot)).map(formatTime), [], "Missed runs neither started nor wait");
  for (let left = history.dueSlots().length; left > 0 && absent().length > 0; left--) {
    for (let jobs = history.server.unfinished.length; jobs > 0; jobs--) {
      await history.act({ do: "finish", which: 0, succeeds: true });
    }
    await history.settle();
  }
  assertEquals(absent().map(formatTime), [], "Missed runs never started");
}
