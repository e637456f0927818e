import { stringify } from "yaml";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { onceFollowed } from "../../cronjob/decision/judge.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Event } from "../../kube/resource.ts";
import { partsOf } from "../../schedule/exclusions/parts.ts";
import type { RunView } from "../../view/cron_job_view.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { timeIn } from "../../schedule/full_time.ts";
import { scheduleOfLook } from "../../view/explain/asked_time.ts";
import { whyWithoutJob } from "../../view/explain/run_verdict.ts";
import { type EventFacts, readEvent } from "../../view/event_facts.ts";
import { type Look, lookAt, type ViewInput } from "../../view/look.ts";
import { whyUnsuccessful } from "../../view/pods.ts";
import { markOf, RUN_MARKS } from "../../view/run_marks.ts";
import { skippedInWords, skippedTimes } from "../../view/skipped_times.ts";
import { durationMs, timeOf } from "../../view/runs.ts";
import { factsOf } from "./facts.ts";
import { plannedRuns } from "./planned.ts";
import { gapsIn, runsIn, type Span, type TimelineInput } from "./timeline.ts";
import type { Detail, DetailEvent, DetailRun, NextTime } from "../wire.ts";

export const SHOWN_RUNS = 50;
const OLDER_RUNS = `The newest ${SHOWN_RUNS} are listed: the calendar leads to older ones.`;
/** An hourly CronJob has so many runs a day. Of more, a calendar says enough of those that succeeded. */
const FEW_RUNS = 25;
const SHOWN_OF_SPAN = 200;
const SHOWN_NEXT = 10;
const SHOWN_EVENTS = 100;

/** The facts that a page about one CronJob rests on. */
export interface DetailInput {
  /** With remembered runs of CronJobs of its name; of a span, `isCut` says that its older ones are left out. */
  readonly input: TimelineInput;
  /** As the API server has it now. */
  readonly object: DeepReadonly<CronJobObject>;
  /** About it and its Jobs; undefined where they may not be read. */
  readonly events: readonly DeepReadonly<Event>[] | undefined;
  /** The stretch whose runs are asked for; absent for the newest runs. */
  readonly span?: Span | undefined;
}

/** Returns all that the page shows of one CronJob. */
export function detailOf({ input, object, events, span }: DetailInput): Detail {
  const { watched } = input;
  const told = events && toldBy(events);
  const look = lookAt({ ...input, events: told ?? input.events });
  return {
    facts: factsOf(look),
    ...listed(runsIn(look, span ?? ALL_TIME), input, span),
    watched: watched && span ? { ...watched, gaps: gapsIn(watched, span) } : watched,
    nextRuns: nextTimes(look),
    events: told?.reverse().sort(warningsFirst).slice(0, SHOWN_EVENTS),
    yaml: yamlOf(object),
  };
}

const ALL_TIME: Span = { from: -Infinity, to: Infinity };

/** Returns the newest runs, or those of a stretch; of many in it those that did not succeed. */
function listed(
  runs: readonly RunView[],
  input: TimelineInput,
  span: Span | undefined,
): Pick<Detail, "runs" | "runsNote"> {
  const list = (runs: readonly RunView[]) => runs.map((run) => runOf(run, input));
  if (!span) {
    const newest = list(runs.slice(0, SHOWN_RUNS));
    return newest.length < SHOWN_RUNS ? { runs: newest } : { runs: newest, runsNote: OLDER_RUNS };
  }
  if (runs.length <= FEW_RUNS && !input.isCut) return { runs: list(runs) };
  const troubled = runs.filter(({ outcome }) => outcome !== "Succeeded");
  const shown = troubled.slice(0, SHOWN_OF_SPAN);
  const oldest = shown.length < troubled.length ? shown.at(-1) : input.isCut ? runs.at(-1) : undefined;
  const andBefore = oldest ? `, and runs before ${timeIn(zoneOf(input.cronJob), timeOf(oldest))}` : "";
  return { runs: list(shown), runsNote: `The list leaves out runs that succeeded${andBefore}.` };
}

function runOf(run: RunView, input: ViewInput): DetailRun {
  const why = whyWithoutJob(run) ?? whyUnsuccessful(run, input);
  return { ...run, ms: durationMs(run), why: why || undefined };
}

/** Returns the facts of Events, oldest first. */
export function toldBy(events: readonly DeepReadonly<Event>[]): (EventFacts & DetailEvent)[] {
  return events.flatMap((event) => {
    const { kind, name } = event.involvedObject;
    const facts = readEvent(event);
    return facts ? [{ ...facts, about: `${kind} ${name}` }] : [];
  }).sort((a, b) => a.lastAt - b.lastAt);
}

function warningsFirst(a: EventFacts, b: EventFacts): number {
  return Number(b.isWarning) - Number(a.isWarning);
}

function nextTimes(look: Look): NextTime[] {
  const schedule = scheduleOfLook(look);
  if (!schedule) return [];
  const parts = partsOf(schedule);
  const runs = Array.from(plannedRuns(look).take(SHOWN_NEXT), (run) => {
    const mark = markOf(run.scheduledTime, parts);
    return { ...run, note: mark && RUN_MARKS[mark] };
  });
  const last = runs.at(-1);
  if (!last) return [];
  const { input: { now } } = onceFollowed(look.findings);
  const skipped = skippedTimes(parts, now, last.scheduledTime)
    .map((times) => ({ skippedAt: times.at, note: skippedInWords(times) }));
  return [...runs, ...skipped].sort((a, b) => instantOf(a) - instantOf(b));
}

function instantOf(time: NextTime): EpochMs {
  return "skippedAt" in time ? time.skippedAt : time.scheduledTime;
}

/** As `kubectl get -o yaml` prints it. */
function yamlOf({ metadata: { managedFields: _, ...metadata }, ...object }: DetailInput["object"]): string {
  return stringify({ ...object, metadata }, { keepUndefined: false, sortMapEntries: true });
}
