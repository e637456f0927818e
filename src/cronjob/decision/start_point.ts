import { type EpochMs, formatTime, latest } from "../../base/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { FailureRecord } from "../api/types.ts";
import type { Flavour } from "../api/flavour.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { SinceSchedule } from "../../schedule/since_schedule.ts";
import { type Child, hasCome, startedTime } from "../api/job.ts";
import type { Stretch } from "../api/types.ts";
import { isPaused, pauseEnd } from "../api/pause.ts";
import type { ObservedPart } from "../api/observed_schedules.ts";
import { writeInstants } from "../api/schema.ts";
import { OBSERVED_ENTRIES } from "../api/status_fields.ts";
import type { ScheduleSettings, Settings } from "../api/settings.ts";
import type { ObservedSchedule } from "../api/types.ts";
import type { Findings, StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { readLastSchedule } from "./recorded_times.ts";
import { spreadOffsetMs } from "./spread.ts";
import { findPassedOver, newestRecorded, proves, withStarted } from "./stretches.ts";

/** Finds from when on scheduled times count: after whatever started, wrote or resumed last. */
export function findStartPoint(
  input: DecisionInput,
  children: readonly Child[],
  failures: FailureRecord | undefined,
): StartPoint {
  const { cronJob, facts, now } = input;
  const { flavour, settings } = cronJob;
  const created = cronJob.createdAt ?? now;
  const recorded = readLastSchedule(input);
  const times = startedTimes(input, children);
  const lastScheduleTime = latest(
    recorded.time,
    facts?.startedUntil,
    ...children.map((child) => startedTime(child, now)),
    // A start before its time counts once that has come.
    ...[...times, ...cronJob.passedOver.map(({ before }) => before)].filter((time) => hasCome(time, now)),
  );
  const { observed, since, parts } = observeSchedule(input, lastScheduleTime ?? created);
  const schedule = boundSchedule(cronJob, parts);
  const holdsFrom = flavour.openStatus || parts.length > 1 ? since : facts?.editedAt;
  const { startTime } = settings;
  const floor = latest(
    created,
    holdsFrom,
    // Of several schedules each knows since when it holds.
    settings.dropsOnEdit && parts.length === 1 ? cronJob.scheduleWrittenAt : undefined,
    settings.dropsOnResume ? pauseWrittenAt(input) : undefined,
    settings.dropsOnResume ? failures?.resumedAt : undefined,
    settings.dropsOnResume ? pauseEnd(settings.pause, now) : undefined,
    startTime === undefined ? undefined : startTime - 1,
  )!;
  // The stand-in for no start at all: a unit before the creation, so that no name is taken for the sake of it.
  const origin = created - unitOf(flavour);
  const anchorAt = (start: EpochMs) => latest(start === origin ? created : start, holdsFrom)!;
  const afterOf = ({ after }: Stretch) => Math.max(floor, endOfUnit(after, flavour));
  const newestBefore = newestRecorded(recorded.time, cronJob.passedOver) ?? origin;
  const newest = latest(newestBefore, lastScheduleTime, ...times)!;
  const holdsTimes = (stretch: Stretch) => {
    const first = schedule?.anchoredAt(anchorAt(stretch.after)).next(afterOf(stretch));
    return first !== undefined && first < startOfUnit(stretch.before, flavour);
  };
  const passed = facts?.started === "TooMany"
    ? []
    : findPassedOver({ recorded: cronJob.passedOver, newest: newestBefore, times }, {
      holdsTimes,
      isFarAhead: ({ before }) => before > (lastScheduleTime ?? -Infinity),
      looksAhead: ({ before }) => looksAhead(input, { children, schedule }, before),
    });
  const isAhead = lastScheduleTime !== undefined && !hasCome(lastScheduleTime, now);
  // The next status says of it when it was written: a server whose clock went back too says the wrong time.
  const proof = isAhead && !proves(passed, lastScheduleTime)
    ? [{ after: lastScheduleTime - unitOf(flavour), before: lastScheduleTime }]
    : [];
  // Clocks that differ a little are none that went back: what was caught up with is not followed by what came before it.
  const clockWentBack = !hasCome(newest, now) || facts?.clockWentBack === true;
  const open = openStretches(clockWentBack ? passed : [], newest, input);
  const caughtUpUntil = facts?.caughtUpUntil === undefined ? -Infinity : endOfUnit(facts.caughtUpUntil, flavour);
  const line = recordedLine(input)
    .map(({ after, before }) => ({ after: Math.max(floor, caughtUpUntil, after), before, anchor: anchorAt(after) }));
  const isFollowed = settings.catchUp === "All";
  const opened = (stretch: Stretch) => ({ ...stretch, anchor: anchorAt(stretch.after), after: afterOf(stretch) });
  return {
    lastScheduleTime,
    recorded,
    isAhead,
    clockWentBack,
    passedOver: [...passed, ...proof],
    open: mapSome(open, opened),
    waiting: withStarted(isFollowed ? line : [], times, (time) => endOfUnit(time, flavour)).filter((
      { anchor, after, before },
    ) => (schedule?.anchoredAt(anchor).next(after) ?? Infinity) < before),
    dropped: isFollowed || !cronJob.stewardship.keepsStatus ? [] : line,
    recordedAnchor: anchorAt(recorded.time ?? origin),
    pastAnchor: anchorAt(recorded.time ?? lastScheduleTime ?? origin),
    floor,
    schedule,
    observed,
    parts,
  };
}

/** An API server that was restored from a backup knows less than this process has recorded. */
function recordedLine({ cronJob, facts }: DecisionInput): readonly Stretch[] {
  const { lastScheduleTime = -Infinity } = cronJob.recorded;
  const { recorded } = facts ?? {};
  return recorded && lastScheduleTime < (recorded.lastScheduleTime ?? -Infinity) ? recorded.waiting : cronJob.waiting;
}

/** Returns the stretch that now is in, or that comes next, and those after it. */
function openStretches(passed: readonly Stretch[], newest: EpochMs, { cronJob, now }: DecisionInput): Some<Stretch> {
  const { flavour } = cronJob;
  const position = now - spreadOffsetMs(cronJob);
  const endless = { after: newest, before: Infinity };
  const [first, ...others] = passed
    .map(({ after, before }) => ({ after, before: startOfUnit(before, flavour) }))
    .filter(({ before }) => before > position)
    .sort((a, b) => a.before - b.before);
  return first ? [first, ...others, endless] : [endless];
}

type Some<T> = readonly [T, ...T[]];

function mapSome<T, U>([first, ...others]: Some<T>, map: (each: T) => U): Some<U> {
  return [map(first), ...others.map(map)];
}

/** Returns each time once of which a Job is, or was, there, whether it has come or not. */
export function startedTimes({ facts }: Pick<DecisionInput, "facts">, children: readonly Child[]): readonly EpochMs[] {
  const started = facts?.started === "TooMany" ? [] : facts?.started ?? [];
  const times = children.map(({ scheduledTime }) => scheduledTime).filter((time) => time !== undefined);
  return [...new Set([...started, ...times])];
}

/**
 * Returns whether it is caught up with, as when a clock is set ahead, or the API server's clock says that it was too
 * early.
 */
function looksAhead(
  { cronJob, now }: DecisionInput,
  { children, schedule }: { readonly children: readonly Child[]; readonly schedule: Schedule | undefined },
  time: EpochMs,
): boolean {
  const following = schedule?.anchoredAt(time).next(time) ?? Infinity;
  const isCatchUp = cronJob.settings.catchUp === "All" && following <= now - spreadOffsetMs(cronJob);
  return isCatchUp ||
    children.some(({ scheduledTime, createdAt = Infinity }) => scheduledTime === time && !hasCome(time, createdAt));
}

/** Returns what is followed: of several schedules each from when it holds. */
function boundSchedule({ schedule }: CronJob, parts: readonly ObservedPart[]): Schedule | undefined {
  if (schedule.kind === "problem") return undefined;
  if (parts.length === 1) return schedule.schedule;
  return schedule.withEach((part, i) => new SinceSchedule(part, parts[i]!.since));
}

/** Returns when what pauses it was last written, as far as can be known. */
function pauseWrittenAt({ cronJob, facts }: DecisionInput): EpochMs | undefined {
  return latest(cronJob.pauseWrittenAt, facts?.resumedAt);
}

/** Returns until when nothing was to start. Where no status says so: until what pauses it was last written. */
export function restedUntil({ input, failures }: Pick<Findings, "input" | "failures">): EpochMs {
  const { cronJob: { recorded, resumedAt, settings, settings: { pause } }, facts, now } = input;
  // The status may be old: no controller may have seen the end.
  const written = isResting(settings, now) ? undefined : latest(pauseWrittenAt(input), pauseEnd(pause, now));
  const end = written !== undefined && written > (recorded.restingSince ?? -Infinity) ? Math.min(written, now) : now;
  const ends = [
    recorded.wasResting ? end : recorded.followedSince,
    recorded.schedule ? undefined : latest(resumedAt, facts?.resumedAt),
    failures?.resumedAt,
    pauseEnd(pause, now),
  ];
  return latest(...ends.filter((time) => time !== undefined && hasCome(time, now))) ?? -Infinity;
}

/** Returns whether a time that can start no more was missed: it came due while runs were to start, or is on record. */
export function wasMissed(findings: Pick<Findings, "input" | "failures">, time: EpochMs): boolean {
  const { recorded: { recordedTimes }, lastMissedTime = -Infinity } = findings.input.cronJob;
  return time > restedUntil(findings) || time <= lastMissedTime || recordedTimes.includes(time);
}

/** Another scheduled time in the same unit would have the same Job name: it counts as done. */
export function endOfUnit(instant: EpochMs, flavour: Flavour): EpochMs {
  return startOfUnit(instant, flavour) + unitOf(flavour) - 1;
}

/** Returns when the unit begins that such a Job name stands for. */
export function startOfUnit(instant: EpochMs, flavour: Flavour): EpochMs {
  return Math.floor(instant / unitOf(flavour)) * unitOf(flavour);
}

function unitOf({ nameUnitSeconds }: Flavour): number {
  return nameUnitSeconds * 1000;
}

interface Observation {
  readonly observed: ObservedSchedule;
  /** Since when the oldest of the schedules holds. */
  readonly since: EpochMs;
  readonly parts: readonly ObservedPart[];
}

/**
 * Counting starts anew when schedule, zone or exclusions are not what they were, or a rest ends whose runs are to be dropped;
 * of several schedules, for those that are new.
 */
function observeSchedule({ cronJob, facts, now }: DecisionInput, started: EpochMs): Observation {
  const { settings, recorded, observedSchedules, flavour } = cronJob;
  // A schedule that can't be read says nothing about the others.
  if (cronJob.schedule.kind === "problem" && !flavour.openStatus && observedSchedules.length > 0) {
    return recordedObservation(settings, observedSchedules);
  }
  if (observedSchedules.length === 0) return observation(settings, () => firstSince(cronJob, now));
  const excludesOther = flavour.openStatus && recorded.schedule?.exclude !== settings.exclusionsDigest;
  const resumed = settings.dropsOnResume && !isResting(settings, now) && recorded.wasResting;
  const left = new Set(excludesOther || resumed ? [] : observedSchedules);
  return observation(settings, ({ text, timeZone }) => {
    const known = left.values().find((part) => part.text === text && part.timeZone === timeZone);
    if (!known) return editTime(cronJob, now, started);
    left.delete(known);
    const { since } = known;
    // A clock that was ahead said so.
    if (!hasCome(since, now)) return now;
    return flavour.openStatus ? since : Math.max(since, facts?.editedAt ?? -Infinity);
  });
}

function recordedObservation(settings: Settings, parts: readonly ObservedPart[]): Observation {
  const { observed } = observation(settings, () => parts[0]!.since);
  return { observed, since: Math.min(...parts.map(({ since }) => since)), parts };
}

function observation(settings: Settings, sinceOf: (schedule: ScheduleSettings, i: number) => EpochMs): Observation {
  const { schedule: text, schedules, exclusionsDigest: exclude } = settings;
  // The zone of one alone may be its own; several have theirs among the entries.
  const { timeZone } = schedules.length === 1 ? schedules[0] : settings;
  const parts = schedules.map((schedule, i) => ({
    text: schedule.text,
    timeZone: schedule.timeZone,
    since: Math.floor(sinceOf(schedule, i) / 1000) * 1000,
  }));
  const since = Math.min(...parts.map(({ since }) => since));
  const observed = {
    text,
    ...(timeZone !== undefined && { timeZone }),
    ...(exclude !== undefined && { exclude }),
    since: formatTime(since),
    ...(parts.length > 1 && { entries: writeInstants(OBSERVED_ENTRIES, parts) }),
  };
  return { observed, since, parts };
}

/**
 * Returns since when the schedule holds that no status records yet: as far as can be known, it may have been edited
 * since the creation.
 */
function firstSince(cronJob: CronJob, now: EpochMs): EpochMs {
  const { generation = 1 } = cronJob.metadata;
  const written = generation > 1 || cronJob.settings.schedules.length > 1 ? cronJob.scheduleWrittenAt : undefined;
  return Math.min(now, latest(cronJob.createdAt, written) ?? now);
}

/** Returns the same schedule, counted from its newest edit. */
export function restarted(start: StartPoint, { cronJob, now }: DecisionInput): StartPoint {
  const [{ anchor }] = start.open;
  const edit = editTime(cronJob, now, anchor);
  const { observed, parts } = observation(cronJob.settings, (_, i) => Math.max(start.parts[i]?.since ?? edit, edit));
  return {
    ...start,
    open: mapSome(start.open, (stretch) => ({
      ...stretch,
      anchor: Math.max(stretch.anchor, edit),
      after: Math.max(stretch.after, edit),
    })),
    recordedAnchor: Math.max(start.recordedAnchor, edit),
    pastAnchor: Math.max(start.pastAnchor, edit),
    floor: Math.max(start.floor, edit),
    schedule: boundSchedule(cronJob, parts),
    observed,
    parts,
  };
}

/** Returns when the spec was last written: not before the last that we saw of it, and not after now. */
function editTime(cronJob: CronJob, now: EpochMs, started: EpochMs): EpochMs {
  const seen = latest(started, cronJob.recorded.scheduleSince)!;
  return Math.min(now, Math.max(seen, cronJob.scheduleEditedAt ?? now));
}

/** Returns whether it is suspended or paused. */
function isResting({ suspended, pause }: Settings, now: EpochMs): boolean {
  return suspended || isPaused(pause, now);
}
