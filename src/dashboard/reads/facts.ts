import { SETTING_ANNOTATIONS } from "../../cronjob/api/annotation_settings.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { keepsOrder, type Settings } from "../../cronjob/api/settings.ts";
import { fullTime } from "../../schedule/full_time.ts";
import type { Findings } from "../../cronjob/decision/findings.ts";
import type { Look } from "../../view/look.ts";
import { byDefault } from "../../view/explain/checks.ts";
import { distanceOf } from "../../view/times.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { Fact } from "../wire.ts";
import { exclusionInWords } from "./exclusion_words.ts";

/** Returns what a CronJob asks for, in words: what it says nothing of is left out, and defaults that matter are named. */
export function factsOf(
  { input: { cronJob, runner }, findings }: Pick<Look, "input" | "findings">,
): Fact[] {
  const runBy = runner ? [{ label: "Run by", value: `${runner.by}: ${runner.why}` }] : [];
  return [...runBy, ...factsOfSpec(cronJob), ...expectations(findings)];
}

function expectations({ input: { cronJob }, expectations: { breaches } }: Findings): Fact[] {
  const { settings: { expect }, stewardship } = cronJob;
  if (!expect) return [];
  const asked = Object.entries(expect).map(([name, value]) => `${name} ${value}`).join(", ");
  const kinds = breaches.map(({ kind }) => kind).join(", ");
  const verdict = !stewardship.keepsStatus ? "not judged here" : kinds === "" ? "met" : `not met: ${kinds}`;
  return [{ label: "Expectations", value: `${asked}: ${verdict}` }];
}

function factsOfSpec(cronJob: CronJob): Fact[] {
  return FACTS.flatMap(([label, tell]) => {
    const value = tell(cronJob.settings, cronJob);
    return value ? [{ label, value }] : [];
  });
}

/** A fact without text is left out. */
type Tell = (settings: Settings, cronJob: CronJob) => string | 0 | false | undefined;

const FACTS: readonly (readonly [label: string, tell: Tell])[] = [
  ["Schedule", ({ schedules }) => schedules.map(({ text, name }) => name ? `${text} (${name})` : text).join("; ")],
  [
    "Time zone",
    // The zone may be the part that cannot be read.
    (settings, cronJob) => cronJob.schedule.kind === "schedule" ? zoneOf(cronJob) + byDefault(settings) : undefined,
  ],
  ["Clock changes", tellClockChanges],
  ["Runs from", ({ startTime }, cronJob) => startTime && fullTime(startTime, zoneOf(cronJob))],
  ["Runs until", ({ endTime }, cronJob) => endTime && fullTime(endTime, zoneOf(cronJob))],
  [
    "Excluded",
    ({ exclude, onExcluded }) => {
      const said = exclude.map(exclusionInWords).join("; ");
      return said && onExcluded === "RunAfter" ? `${said}; what it leaves out runs once at its end` : said;
    },
  ],
  ["While a run is active", tellPolicy],
  [
    "Start deadline",
    ({ startingDeadlineMs }) => startingDeadlineMs === Infinity ? "none" : lasting(startingDeadlineMs),
  ],
  [
    "Missed runs",
    ({ catchUp, maxCatchUpRuns }) =>
      catchUp === "All" ? `start one after the other, up to ${maxCatchUpRuns}` : CATCH_UP[catchUp],
  ],
  ["Spread over", ({ spreadSeconds }) => spreadSeconds > 0 ? lasting(spreadSeconds * 1_000) : undefined],
  [
    "Ends Jobs that do not start",
    ({ pendingTimeoutMs }) => pendingTimeoutMs && `after ${lasting(pendingTimeoutMs)}`,
  ],
  [
    "Pauses after",
    ({ pauseAfterFailures: count }) => count && (count === 1 ? "1 failure" : `${count} failures in a row`),
  ],
  [
    "Without effect",
    (_settings, { flavour, metadata }) =>
      flavour.extrasIn === "spec" &&
      Object.keys(metadata.annotations ?? {}).filter((name) => SETTING_ANNOTATIONS.has(name))
        .map((name) => `annotation ${name}, which this API has in the spec`).join("; "),
  ],
  [
    "Keeps",
    ({ successfulLimit, failedLimit }) =>
      `${successfulLimit ?? "all"} that succeeded, ${failedLimit ?? "all"} that failed`,
  ],
];

/** An interval knows none. */
function tellClockChanges(_settings: Settings, { schedule }: CronJob): string | undefined {
  if (schedule.kind !== "schedule") return undefined;
  const { clockChangePolicy: policy } =
    schedule.parts.find(({ timeZone, clockChangePolicy }) => timeZone !== "UTC" && clockChangePolicy) ?? {};
  return policy && `${SKIPPED[policy.gap]}; ${REPEATED[policy.overlap]}`;
}

const SKIPPED = {
  Skip: "a time that the clocks skip does not run",
  RunAfter: "a time that the clocks skip runs after the gap",
} as const;

const REPEATED = {
  Both: "a time that they repeat runs twice",
  First: "a time that they repeat runs the first time",
  Second: "a time that they repeat runs the second time",
} as const;

const THE_NEXT = {
  Allow: "starts beside it",
  Forbid: "waits",
  Replace: "stops it",
  Queue: "waits, without a deadline",
} as const;

function tellPolicy({ policy, maxActive, catchUp }: Settings): string {
  const upTo = Number.isFinite(maxActive) && maxActive !== 1 ? `, up to ${maxActive}` : "";
  const overtaken = keepsOrder(policy) && catchUp !== "All" ? ", unless a later time comes first" : "";
  return `${policy}${upTo}: the next ${THE_NEXT[policy]}${overtaken}`;
}

const CATCH_UP = { Latest: "the latest starts", None: "none starts" } as const;

function lasting(ms: number): string {
  return distanceOf(0, ms);
}
