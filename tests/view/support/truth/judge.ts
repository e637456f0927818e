import { type EpochMs, formatTime } from "../../../../src/base/epoch_ms.ts";
import type { Answers, Said, SaidRow, SaidRun, SaidVerdict } from "./answers.ts";
import { cronRunsIn } from "./cron.ts";
import type { Life, Run } from "./life.ts";
import { ofPlanned } from "./planned_judge.ts";
import { isUnread, ofHeadlines, ofRunner } from "./runner_judge.ts";
import { type World, ZONE } from "./world.ts";

/** What was known when someone asked, and what became of it within the hours that followed. */
export interface Story {
  readonly world: World;
  readonly askedAt: EpochMs;
  readonly endsAt: EpochMs;
  /** As they were when someone asked. */
  readonly then: readonly Run[];
  /** As they are at the end, those that began later included. */
  readonly runs: readonly Run[];
  /** Of Jobs that were there when someone asked. */
  readonly kept: ReadonlySet<string>;
  readonly runner: Life["runner"];
  readonly isSuspended: boolean;
  /** What the annotation of this name says. */
  readonly managed: string | undefined;
}

/** What was counted beside differences. */
export interface Tally {
  asked: number;
  unknown: number;
}

export const SLACK_MS = 1_000;

/** Returns in a line each what was said and is not true. */
export function differences(story: Story, answers: Answers, tally: Tally): string[] {
  return [
    ...[answers.status, ...answers.page].flatMap((said) => ofShown(story, said, tally)),
    ...ofRuns(story, answers.history).map((text) => `history: ${text}`),
    ...answers.verdicts.flatMap((verdict) => ofVerdict(story, verdict, tally)),
    ...ofExplainedNext(answers),
    ...ofPage(answers),
    ...ofComing(story, answers),
    ...ofEntry(story),
    ...ofCatchUp(story),
  ];
}

function ofShown(story: Story, said: Said, tally: Tally): string[] {
  const { by, row, headlines, mostRuns, planned, verdicts = [] } = said;
  return [
    ...ofPlanned(story, row, planned),
    ...ofNext(story, row, tally),
    ...ofState(story, row),
    ...ofRunner(story, row),
    ...ofRuns(story, row.lastRuns, mostRuns),
    ...ofHeadlines(story, headlines),
    ...verdicts.flatMap((verdict) => ofVerdict(story, verdict, tally)),
  ].map((text) => `${by}: ${text}`);
}

/** What began after someone asked, by the schedule. */
export function startedSince({ askedAt, runs }: Story): Run[] {
  return runs.filter(({ startedAt, scheduledTime }) => startedAt > askedAt && scheduledTime !== undefined);
}

export function isToCome({ askedAt }: Story): (run: Run) => boolean {
  return ({ scheduledTime = -Infinity }) => scheduledTime > askedAt;
}

export function runOf({ runs }: Story, time: EpochMs): Run | undefined {
  return runs.find(({ scheduledTime }) => scheduledTime === time);
}

/** What is active at an instant, of which a time is not. */
function activeAt({ runs }: Story, instant: EpochMs): Run[] {
  return runs.filter(({ startedAt, endedAt = Infinity }) => startedAt < instant && endedAt > instant);
}

function ofNext(story: Story, { nextRun: next, runner }: SaidRow, tally: Tally): string[] {
  const since = startedSince(story);
  const [first] = since;
  tally.asked++;
  if (next === undefined) {
    // What waits for active runs is shown as waiting.
    const unnamed = activeAt(story, story.askedAt).length > 0 ? since.find(isToCome(story)) : first;
    return unnamed ? [`NEXT names nothing, and ${inWords(unnamed)}`] : [];
  }
  if (next.kind === "unknown") {
    if (runner?.by === "none") return first ? [`no controller runs it, and ${inWords(first)}`] : [];
    tally.unknown++;
    return [];
  }
  const { endsAt } = story;
  const [time, startsAt] = [next.scheduledTime, next.startsAt].map((text) => Date.parse(text)) as [EpochMs, EpochMs];
  const said = `NEXT is ${next.scheduledTime} at ${next.startsAt} (${next.expected})`;
  // What waits when someone asks comes before it, and is shown as waiting.
  const earlier = since.find(({ scheduledTime, startedAt }) =>
    startedAt < startsAt - SLACK_MS && scheduledTime! > story.askedAt
  );
  if (earlier) return [`${said}, and before that ${inWords(earlier)}`];
  if (startsAt > endsAt) return [];
  const run = runOf(story, time);
  const isInTime = run !== undefined && Math.abs(run.startedAt - startsAt) <= SLACK_MS;
  const holds = next.expected === "Skip" || next.expected === "Wait";
  // What waited when someone asked holds it back too.
  const holding = activeAt(story, startsAt).filter(({ scheduledTime = 0 }) => scheduledTime <= story.askedAt);
  const isHeld = holds && holding.length >= (story.world.spec.maxConcurrentRuns ?? 1);
  if (isHeld) return isInTime ? [`${said}, and it started although a run was active`] : [];
  return isInTime ? [] : [`${said}, and ${run ? inWords(run) : "it did not start"}`];
}

function ofState(story: Story, { state, active, cause, nextRun }: SaidRow): string[] {
  const { runner, then } = story;
  const running = then.filter(({ outcome }) => outcome === "Running").map(({ name }) => name).sort();
  const said = `${state} (${cause?.reason}: ${cause?.message})`;
  const wrong: string[] = [];
  if (JSON.stringify(active.toSorted()) !== JSON.stringify(running)) {
    wrong.push(`${said}, active ${active}, and ${running} are`);
  }
  if (state === "Running" && running.length === 0) wrong.push(`${said}, and nothing is active`);
  if (state === "Waiting" && running.length > 0) wrong.push(`${said}, and ${running} is active`);
  if (state === "Overdue" && runner !== "nobody") wrong.push(`${said}, and its controller has nothing left to do`);
  if (state === "Suspended" && isUnread(story)) wrong.push(`${said}, and it runs nowhere as "managed" is not read`);
  if (state === "Waiting" && nextRun === undefined) wrong.push(`${said}, and no next run is named`);
  return wrong;
}

const OUTCOMES: Readonly<Record<string, readonly Run["outcome"][]>> = {
  Running: ["Running"],
  Pending: ["Running"],
  Succeeded: ["Succeeded"],
  Failed: ["Failed", "Replaced"],
  Unknown: ["Running", "Succeeded", "Failed", "Replaced"],
};

function ofRuns(story: Story, said: readonly SaidRun[], most = Infinity): string[] {
  const { then, kept } = story;
  const wrong = said.flatMap(({ scheduledTime, outcome, reason, job, trigger }) => {
    const what = `${scheduledTime ?? trigger} ${outcome}${reason ? ` (${reason})` : ""}`;
    if (outcome === "Skipped" || outcome === "Missed") {
      const run = scheduledTime === undefined ? undefined : runOf(story, Date.parse(scheduledTime));
      return run ? [`${what}, and ${inWords(run)}`] : [];
    }
    if (outcome === "Waiting") return [];
    const run = then.find(({ name }) => name === job);
    if (!run) return [`${what}: ${job} was never created`];
    return OUTCOMES[outcome]?.includes(run.outcome) ? [] : [`${what}, and ${inWords(run)}`];
  });
  const named = new Set(said.map(({ job }) => job));
  const missing = [...kept].filter((name) => !named.has(name));
  return missing.length === 0 || said.length >= most ? wrong : [...wrong, `${missing} is missing`];
}

const STARTED: Readonly<Record<string, readonly Run["outcome"][]>> = {
  ...OUTCOMES,
  Started: ["Running", "Succeeded", "Failed", "Replaced"],
};
delete (STARTED as Record<string, unknown>).Unknown;

/** Verdicts on times that come to nothing. */
const NOT_STARTED = ["Skipped", "Missed", "NotStarted", "NotScheduled", "Excluded", "NotFollowed", "WillNotRun"];

function ofVerdict(story: Story, { time, kind, message, why }: SaidVerdict, tally: Tally): string[] {
  const { askedAt, then, kept, world } = story;
  const run = runOf(story, time);
  const before = then.find(({ scheduledTime }) => scheduledTime === time);
  const said = `explain --at ${formatTime(time)}: ${kind}: ${message} (${why})`;
  tally.asked++;
  if (STARTED[kind]) return before && STARTED[kind].includes(before.outcome) ? [] : [`${said}, and ${inWords(before)}`];
  if (kind === "Unknown") {
    tally.unknown++;
    return before && kept.has(before.name) ? [`${said}, and ${before.name} is there`] : [];
  }
  if (why?.includes("an earlier schedule may have named it")) {
    tally.unknown++;
    return [];
  }
  if (NOT_STARTED.includes(kind)) return run ? [`${said}, and ${inWords(run)}`] : [];
  if (kind === "Overdue" || kind === "Waiting") {
    if (!run && story.runner === "nobody") {
      return why?.includes("no controller leads") ? [] : [`${said}, and no controller leads`];
    }
    if (before) return [`${said}, and ${inWords(before)}`];
    if (kind === "Overdue" || run || isOvertaken(story, time) || isInLine(story, time)) return [];
    return [`${said}, and it never started`];
  }
  if (kind !== "WillRun") return [`${said}: no such verdict is expected`];
  if (time <= askedAt) return before ? [`${said}, and ${inWords(before)}`] : [];
  if (time > story.endsAt || run) return [];
  // A line of older ones may last longer than what is looked at.
  if (message.includes("in its turn")) {
    return isInLine(story, time) ? [] : [`${said}, and it did not start though none was before it`];
  }
  return isLimited(world) && activeAt(story, time).length > 0 ? [] : [`${said}, and it did not start`];
}

/** Whether an older one that was missed started last, and so the line has not come to this time. */
function isInLine(story: Story, time: EpochMs): boolean {
  const late = startedSince(story).filter(({ scheduledTime, startedAt }) => startedAt - scheduledTime! > SLACK_MS);
  return (late.at(-1)?.scheduledTime ?? Infinity) < time;
}

/** Whether active runs may hold others back. */
export function isLimited({ spec: { concurrencyPolicy, maxConcurrentRuns } }: World): boolean {
  return ["Forbid", "Queue"].includes(concurrencyPolicy!) || maxConcurrentRuns !== undefined;
}

/** Whether a later time came first, or nothing has ended since that could have let it start. */
function isOvertaken(story: Story, time: EpochMs): boolean {
  const { askedAt, endsAt } = story;
  return startedSince(story).some(({ scheduledTime }) => scheduledTime! > time) ||
    activeAt(story, askedAt).some(({ endedAt = Infinity }) => endedAt >= endsAt);
}

/** Both read the same. */
function ofExplainedNext({ status: { row }, verdicts }: Answers): string[] {
  const said = JSON.stringify(row.nextRun);
  return verdicts.flatMap(({ nextRun }) =>
    JSON.stringify(nextRun) === said ? [] : [`explain: Next is ${JSON.stringify(nextRun)}, status says ${said}`]
  ).slice(0, 1);
}

/** The page shows what the status does. */
function ofPage({ status, page }: Answers): string[] {
  const { lastRuns: _, ...fields } = status.row;
  return page.flatMap(({ by, row }) =>
    Object.entries(fields).map(([field, value]) => [field, value, row[field as keyof SaidRow]].map(textOf))
      .filter(([_field, value, shown]) => shown !== value)
      .map(([field, value, shown]) => `${by}: ${field} is ${shown}, status says ${value}`)
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function ofComing(story: Story, { coming }: Answers): string[] {
  const { times, isHeld, error } = coming;
  const first = startedSince(story).find(isToCome(story));
  if (!first) return [];
  if (error !== undefined) return [`next: ${error}, and ${inWords(first)}`];
  if (isHeld) return [`next: suspended or paused, and ${inWords(first)}`];
  // A manifest says nothing of runs that hold others back.
  if (isLimited(story.world) && times[0] !== undefined && activeAt(story, times[0]).length > 0) return [];
  // Those that a pause held back stand in line behind older ones.
  if (isAllCaughtUp(story.world) && times.includes(first.scheduledTime!)) return [];
  return times[0] === first.scheduledTime ? [] : [`next: ${times[0] && formatTime(times[0])}, and ${inWords(first)}`];
}

/** An entry of a crontab runs when cron would run it. */
function ofEntry({ world: { entry, createdAt }, runs, endsAt }: Story): string[] {
  if (entry === undefined) return [];
  const started = runs.map(({ startedAt }) => formatTime(startedAt));
  const expected = cronRunsIn(entry, ZONE, createdAt, endsAt).map(formatTime);
  const differing = [...new Set([...started, ...expected])].filter((time) =>
    started.filter((other) => other === time).length !== expected.filter((other) => other === time).length
  );
  return differing.length === 0
    ? []
    : [`crontab: only one of cron and its CronJob runs "${entry}" at ${differing.slice(0, 3)}`];
}

export function isAllCaughtUp({ spec, annotations }: World): boolean {
  return spec.catchUp?.policy === "All" || annotations["cronjob-controller.dev/catch-up"] === "All";
}

/** Missed runs start one after the other, where all of them do. */
function ofCatchUp(story: Story): string[] {
  const { world, runs } = story;
  if (!isAllCaughtUp(world) || world.spec.concurrencyPolicy !== "Allow") return [];
  const late = runs.filter(({ scheduledTime, startedAt }) => startedAt - (scheduledTime ?? startedAt) > 60_000);
  const beside = late.find((run) =>
    activeAt(story, run.startedAt + 1).some((other) => other !== run && late.includes(other))
  );
  return beside ? [`catchUp All: ${inWords(beside)} beside another missed one`] : [];
}

export function inWords(run: Run | undefined): string {
  if (!run) return "it did not start";
  const { scheduledTime, startedAt, outcome, endedAt } = run;
  const when = scheduledTime === undefined ? "a run by hand" : `that of ${formatTime(scheduledTime)}`;
  const end = endedAt === undefined ? "" : ` at ${formatTime(endedAt)}`;
  return `${when} started at ${formatTime(startedAt)}: ${outcome}${end}`;
}
