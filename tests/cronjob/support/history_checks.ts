import { assert, assertEquals } from "@std/assert";
import { BACKFILL } from "../../../src/cronjob/api/annotations.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import type { History } from "./history.ts";
import { backfilledSlots, isFarAhead, reportedSlots, startedSlots } from "./history_slots.ts";
import { catchesUpAll } from "./history_line.ts";
import { isBackfill } from "./history_jobs.ts";
import type { Setting } from "./history_setting.ts";

/** Lets time pass: no Job is left whose Pods have been waiting for longer than they may. */
export async function checkTimeouts(history: History, { api, pendingSeconds }: Setting): Promise<void> {
  if (pendingSeconds === undefined || history.clockWasSet) return;
  await history.act({ do: "wait", seconds: Math.ceil(pendingSeconds / (api.nameUnitSeconds === 1 ? 1 : 10)) + 1 });
  await history.settle();
  assertEquals(history.jobs.waitingTooLong(), []);
}

/** After how many failures in a row nothing is to start any more. */
export function pausesAfter({ spec, annotations }: Setting): number | undefined {
  const annotated = annotations?.["cronjob-controller.dev/pause-after-failures"];
  return spec.pauseAfterFailures ?? (annotated === undefined ? undefined : Number(annotated));
}

/** Lets time pass, and compares what starts with how many failed in a row before, as far as that can be said. */
export async function checkPause(history: History, setting: Setting): Promise<void> {
  const limit = pausesAfter(setting);
  const failures = history.jobs.failuresInARow;
  if (limit === undefined || failures === undefined || history.edited || history.jobs.interfered) return;
  if (history.clockWasSet) return;
  const before = startedSlots(history).length;
  await history.act({ do: "wait", seconds: 70 });
  await history.settle();
  const started = startedSlots(history).length - before;
  if (failures >= limit) assertEquals(started, 0, `${started} runs were started after ${failures} failures in a row`);
  else assert(started > 0, `Nothing was started after ${failures} failures in a row`);
}

/** What must hold at every moment of every history. */
export function checkSafety(history: History, { spec, isExcluded }: Setting): void {
  const slots = startedSlots(history);
  if (isExcluded) assertEquals(slots.filter(isExcluded).map(formatTime), [], "An excluded time was started");
  assertEquals(slots.length, new Set(slots).size, `A scheduled time has two Jobs: ${slots.map(formatTime)}`);
  const triggers = history.server.created
    .map(({ job }) => job.metadata.annotations?.["cronjob-controller.dev/trigger"])
    .filter((id) => id !== undefined);
  assertEquals(triggers.length, new Set(triggers).size, `A trigger has two Jobs: ${triggers}`);
  const backfilled = backfilledSlots(history);
  const runs = backfilled.map(({ id, slot }) => `${id} ${formatTime(slot)}`);
  assertEquals(runs.length, new Set(runs).size, `A back-fill has two Jobs for one time: ${runs}`);
  if (isExcluded) {
    assertEquals(backfilled.filter(({ slot }) => isExcluded(slot)), [], "An excluded time was back-filled");
  }
  assertEquals(history.fromBeforeEdit, [], "A time from before an edit was started");
  if (
    spec.concurrencyPolicy === "Forbid" || spec.concurrencyPolicy === "Queue" || spec.concurrencyPolicy === "Replace"
  ) {
    const past = new Set(backfilled.map(({ name }) => name));
    for (const { job: { metadata: { name } }, beside } of history.server.created) {
      const others = past.has(name) ? [] : beside.filter((other) => !past.has(other));
      assertEquals(others, [], `${name} was started beside another under ${spec.concurrencyPolicy}`);
    }
  }
}

/** What must be recorded once nothing goes wrong any more. */
export function checkRecords(history: History): void {
  const { status } = history.cronJob;
  const all = history.server.unfinished;
  const unfinished = all.filter((job) => !isBackfill(job));
  const names = (list: { name?: string }[]) => list.map(({ name }) => name).sort();
  assertEquals(
    names(status?.active ?? []),
    names(unfinished.map(({ metadata }) => metadata)),
    "status.active is not true",
  );
  const newest = Math.max(...startedSlots(history).filter((slot) => !isFarAhead(history, slot)));
  const backfilled = backfilledSlots(history).map(({ slot }) => slot);
  const last = parseTime(status?.lastScheduleTime) ?? 0;
  // A run of the past may have the Job of a time that is caught up with.
  const isTrue = last === newest || (last > newest && backfilled.includes(last));
  if (newest > 0) assert(isTrue, `status.lastScheduleTime is ${formatTime(last)}, the newest is ${formatTime(newest)}`);
  checkBackfill(history, all.filter(isBackfill));
}

/** What must hold once nothing goes wrong any more. */
export function checkTruth(history: History, setting: Setting): void {
  checkRecords(history);
  const { api, spec } = setting;
  const { status } = history.cronJob;
  if (api.openStatus) {
    const running = status!.recentRuns!.filter(({ outcome }) => outcome === "Running").map(({ jobName }) => jobName!);
    for (const name of running) {
      const isRunning = history.server.unfinished.some((job) => job.metadata.name === name && !isBackfill(job));
      assert(isRunning, `${name} is not running`);
    }
    // Only times that go on show which runs by hand are new.
    const isCounted = !history.wentBack || !history.wasTriggered;
    if (!history.jobs.interfered && isCounted && spec.concurrencyPolicy !== "Replace") {
      const { succeeded, failed } = status!.counts!;
      assertEquals({ succeeded, failed }, history.jobs.ended, "status.counts are not true");
    }
    assertEquals(status?.observedGeneration, history.cronJob.metadata.generation);
  }
  checkEvents(history);
  if (history.edited) return;
  // Nothing starts, and nothing is said of what does not, while it is paused after failures.
  if (pausesAfter(setting) !== undefined) return;
  const due = history.dueSlots();
  const started = new Set([...startedSlots(history), ...backfilledSlots(history).map(({ slot }) => slot)]);
  const told = reportedSlots(history);
  for (const slot of due) {
    // Those that wait to be caught up are reported one by one.
    if (!history.attended.has(slot) || catchesUpAll(setting)) continue;
    assert(started.has(slot) || told.has(slot), `${formatTime(slot)} was neither started nor visibly refused`);
  }
  if (history.clockWasSet) return;
  const isFree = spec.concurrencyPolicy === "Allow" && !catchesUpAll(setting) &&
    spec.startingDeadlineSeconds === undefined &&
    due.length <= 100;
  if (isFree && due.length > 0) assert(started.has(due.at(-1)!), "The latest missed run was not started");
}

/** What is recorded of the last back-fill. */
function checkBackfill(history: History, unfinished: readonly Job[]): void {
  const recorded = history.recordedBackfill;
  if (!recorded) return assertEquals(backfilledSlots(history), []);
  const { id, state, slots, active, succeeded, failed, gone, skipped } = recorded;
  const jobs = backfilledSlots(history).filter((run) => run.id === id);
  if (state === "Completed") assertEquals(succeeded + failed + gone + skipped, slots, JSON.stringify(recorded));
  if (state === "Completed" || state === "Running") {
    assertEquals(
      active.map(({ jobName }) => jobName).sort(),
      unfinished.filter(({ metadata }) => metadata.annotations?.[BACKFILL] === id).map(({ metadata }) => metadata.name)
        .sort(),
    );
    assertEquals(succeeded + failed + gone + active.length, jobs.length, JSON.stringify([recorded, jobs]));
    if (!history.jobs.interfered) assertEquals(gone, 0);
  }
}

/** Named as the recorder names them, no Event is written twice, and none mentions a controller that is not there. */
function checkEvents({ events }: History): void {
  assertEquals(events.filter(({ reason }) => reason === "MultipleControllers"), []);
  // What a run waits for may be another Job by the time that a new process says so.
  const decisions = ["MissSchedule", "TooManyMissedTimes", "SuccessfulCreate"];
  const perSlot = new Map<string, string>();
  for (const { reason, scheduledTime, message } of events) {
    if (!decisions.includes(reason) || scheduledTime === undefined) continue;
    const name = `${reason} ${scheduledTime}`;
    assertEquals(perSlot.get(name) ?? message, message, "Two Events of one name say different things");
    perSlot.set(name, message);
  }
}
