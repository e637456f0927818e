import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { readJob } from "../../../src/cronjob/api/job.ts";
import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import type { CronJobView } from "../../../src/view/cron_job_view.ts";
import { explain } from "../../../src/view/explain/explain.ts";
import type { VerdictKind } from "../../../src/view/explain/explanation.ts";
import type { EventFacts } from "../../../src/view/event_facts.ts";
import { eventSuffix } from "../../../src/runtime/event_name.ts";
import { lookAt, type ViewInput } from "../../../src/view/look.ts";
import { runHistory } from "../../../src/view/run_history.ts";
import { viewOf } from "../../../src/view/view_of.ts";
import { History } from "../../cronjob/support/history.ts";
import { backfilledSlots, startedSlots } from "../../cronjob/support/history_slots.ts";
import { actions } from "../../cronjob/support/history_actions.ts";
import { catchesUpAll } from "../../cronjob/support/history_line.ts";
import type { Setting } from "../../cronjob/support/history_setting.ts";
import { SETTINGS } from "../../cronjob/support/history_suite.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

/** A history's world as any reader of the API server sees it who may not read Events. */
function inputOf(history: History, { api }: Setting): ViewInput {
  return {
    cronJob: readCronJob(api, history.cronJob),
    jobs: [...history.server.jobs.values()].map((job) => readJob([api], job)),
    now: history.now,
  };
}

/** Events as the recorder writes them: the same one once, and counted. */
function eventsOf({ events, cronJob: { metadata: { uid } } }: History): EventFacts[] {
  const byName = Map.groupBy(events, ({ reason, message, scheduledTime }) => {
    return scheduledTime === undefined ? `${reason} ${message}` : `c.${eventSuffix(uid, reason, scheduledTime)}`;
  });
  return [...byName].map(([name, same]): EventFacts => ({
    name,
    regardingUid: uid,
    isWarning: must(same[0]).type === "Warning",
    reason: must(same[0]).reason,
    message: same.at(-1)!.message,
    count: same.length,
    firstAt: must(same[0]).at,
    lastAt: same.at(-1)!.at,
  })).sort((a, b) => a.lastAt - b.lastAt);
}

function seen(history: History, setting: Setting): CronJobView {
  return viewOf(inputOf(history, setting));
}

const STARTED: readonly VerdictKind[] = ["Succeeded", "Failed", "Running", "Pending", "Started"];

/** Whatever is said of a time is what became of it; what can't be known may be said of any. */
function checkExplanations(history: History, setting: Setting): void {
  const input = inputOf(history, setting);
  const started = new Set(startedSlots(history));
  for (const events of [undefined, eventsOf(history)]) {
    for (const time of new Set([...history.dueSlots(), ...started])) {
      const { verdict, run } = explain({ ...input, events }, { at: time });
      if (run?.trigger === "Backfill") {
        assert(backfilledSlots(history).some(({ slot }) => slot === time), `${formatTime(time)}: ${verdict.message}`);
        continue;
      }
      if (verdict.kind === "Unknown" || verdict.kind === "NotScheduled") continue;
      const said = STARTED.includes(verdict.kind);
      // A run of the past may have the Job of its time.
      if (said && !started.has(time) && backfilledSlots(history).some(({ slot }) => slot === time)) continue;
      const text = `${formatTime(time)}: ${verdict.kind}: ${verdict.message} ${verdict.why}`;
      assertEquals(said, started.has(time), `${text}${events ? "" : " (without Events)"}`);
    }
  }
}

/** What Events add to the history is what became of it. */
function checkHistory(history: History, setting: Setting): void {
  const started = new Set(startedSlots(history));
  const runs = runHistory(lookAt({ ...inputOf(history, setting), events: eventsOf(history) }));
  for (const { outcome, scheduledTime, reason } of runs) {
    const isAbsent = outcome === "Skipped" || outcome === "Missed" || outcome === "Waiting";
    if (!isAbsent || scheduledTime === undefined) continue;
    assert(
      !started.has(scheduledTime),
      `${formatTime(scheduledTime)} is told as ${outcome} (${reason}) and was started`,
    );
  }
}

/** What is said of a run is what became of it. */
function checkRuns(view: CronJobView, history: History): void {
  const created = new Map(history.server.created.map(({ job }) => [job.metadata.name, job]));
  const started = new Set(startedSlots(history));
  for (const { scheduledTime, outcome, job: name, trigger } of view.lastRuns) {
    if (outcome === "Skipped" || outcome === "Missed" || outcome === "Waiting") {
      if (scheduledTime === undefined) continue;
      assert(!started.has(scheduledTime), `${formatTime(scheduledTime)} is told as ${outcome} and was started`);
      continue;
    }
    assert(created.has(name!), `${name} is told as ${outcome} and was never created`);
    if (outcome === "Unknown") continue;
    // Ends of runs of the past are not noted; their Jobs may bear the names of others that have ended.
    const end = trigger === "Backfill" ? undefined : history.jobs.ends.find((end) => end.name === name);
    const job = history.server.jobs.get(`default/${name}`);
    if (trigger === "Backfill" && !job) continue;
    // That its Pods wait is said after a while.
    if (outcome === "Pending") {
      assertEquals(job?.status?.ready, 0);
      continue;
    }
    const isFailed = job?.status?.conditions?.some(({ type, status }) => type === "Failed" && status === "True");
    const isComplete = job?.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True");
    const truth = end?.succeeds || (trigger === "Backfill" && isComplete)
      ? "Succeeded"
      : end || isFailed
      ? "Failed"
      : "Running";
    assertEquals(outcome, truth, `${name} is told as ${outcome}`);
  }
}

/** A controller that is at rest has nothing left to start. */
function checkState(view: CronJobView, history: History, setting: Setting): void {
  const { api, spec } = setting;
  const running = history.server.unfinished;
  assertEquals(view.active.toSorted(), running.map(({ metadata }) => metadata.name).sort());
  assert(view.state !== "Contested", `${view.state}: ${view.cause?.message}`);
  if (view.state === "Overdue") {
    // No object says how late the news of an edit came: then it is true at least that nothing was started.
    const wasRefused = history.events.some(({ reason }) => reason === "FailedCreate");
    const isExcused = (history.edited && !api.openStatus) || wasRefused;
    assert(isExcused, `${view.state}: ${view.cause?.message}`);
    assertEquals(startedSlots(history).filter((slot) => slot >= view.since!), []);
  }
  if (view.state === "Blocked") {
    const isFree = spec.concurrencyPolicy === "Allow" || spec.concurrencyPolicy === "Replace";
    const isLimited = spec.concurrencyPolicy !== "Allow" || spec.maxConcurrentRuns !== undefined ||
      catchesUpAll(setting);
    assert(running.length > 0 && isLimited, "Nothing is there that could hold a run back");
    const due = history.dueSlots().at(-1);
    const mayStart = isFree && catchesUpAll(setting);
    if (!history.edited && !mayStart) {
      assert(!startedSlots(history).includes(due!), "What is told as held back was started");
    }
  }
  if (view.state === "Running") assert(running.length > 0);
  if (view.state === "Suspended") assertEquals(history.cronJob.spec.suspend, true);
  if (!view.failuresInARow.atLeast && !history.jobs.interfered && history.jobs.failuresInARow !== undefined) {
    if (
      history.cronJob.status?.counts && spec.concurrencyPolicy !== "Replace" && spec.pauseAfterFailures === undefined
    ) {
      assertEquals(view.failuresInARow.count, history.jobs.failuresInARow, "failures in a row");
    }
  }
}

/** What is said to be the next run is the next one that starts. */
async function checkNext(view: CronJobView, history: History, setting: Setting): Promise<void> {
  const { api, prompt } = setting;
  // No object says when the news of an edit came late.
  if (history.edited && !api.openStatus && !prompt) return;
  // What was refused is tried again before that.
  const { scheduled, manual } = lookAt(inputOf(history, setting)).findings;
  // A run by hand that was refused comes before it too, and may then hold it back.
  if (scheduled.kind === "start" || manual.kind === "start") return;
  const before = startedSlots(history).length;
  const next = view.nextRun;
  if (next?.kind === "unknown") return;
  const waitsMs = next === undefined ? 100_000 : next.startsAt - history.now;
  if (waitsMs > 600_000) return;
  await history.act({ do: "wait", seconds: Math.max(0, waitsMs) / history.scale });
  await history.settle();
  // What was to hold it back may have been ended, as its Pods never started.
  const isFree = view.active.some((name) => {
    const job = history.server.jobs.get(`default/${name}`);
    return job === undefined || history.server.isFinished(job);
  });
  if (isFree && next?.expected === "Wait") return;
  const all = startedSlots(history).slice(before);
  // What is caught up with after a pause starts at its end, all of it.
  const started = view.state === "Paused" && catchesUpAll(setting) ? all.slice(0, 1) : all;
  const expected = next && next.expected !== "Wait" ? [next.scheduledTime] : [];
  assertEquals(started.map(formatTime), expected.map(formatTime), "What started is not what was told");
}

/** Settings whose next run is not that of the schedule alone. */
const MORE: typeof SETTINGS = {
  ...SETTINGS,
  "Allow, spread": { api: TUTORIAL, spec: { concurrencyPolicy: "Allow", spreadSeconds: 4 }, isNotEdited: true },
  "Forbid, spread, with a deadline": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Forbid", spreadSeconds: 3, startingDeadlineSeconds: 9 },
    isNotEdited: true,
  },
  "Allow, at most two at a time": { api: TUTORIAL, spec: { concurrencyPolicy: "Allow", maxConcurrentRuns: 2 } },
  "Allow, dropping what comes due meanwhile": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", onResume: "None" },
  },
};

const VARIANTS = [
  ["", { edits: false, refusals: true }],
  [", edited and suspended", { edits: true }],
  [", with runs of the past", { edits: false, backfills: true, refusals: true }],
] as const;

/** What a view says of the worlds that controllers leave behind, whatever happens to them. */
export function viewHistoryTests({ runs }: { runs: number }): void {
  for (const [name, setting] of Object.entries(MORE)) {
    for (const [more, options] of VARIANTS) {
      if (options.edits && setting.isNotEdited) continue;
      // Runs of the past are active too, and hold nothing back.
      const backfills = "backfills" in options;
      test(`A view says of any history what was done: ${name}${more}`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.boolean(), actions(options), async (prompt, steps) => {
            const whole = { ...setting, prompt };
            const history = new History(whole);
            for (const step of steps) {
              await history.act(step);
              checkRuns(seen(history, whole), history);
              checkExplanations(history, whole);
              checkHistory(history, whole);
            }
            await history.settle();
            const view = seen(history, whole);
            checkRuns(view, history);
            if (!backfills) checkState(view, history, whole);
            checkExplanations(history, whole);
            checkHistory(history, whole);
            if (!backfills) await checkNext(view, history, whole);
          }),
          { numRuns: runs },
        );
      });
    }
  }
}
