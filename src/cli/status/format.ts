import { stringify } from "yaml";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJobView, RunViewOutcome, State } from "../../view/cron_job_view.ts";
import { jsonOf } from "../../view/json.ts";
import { headlinesOf } from "../../view/headline.ts";
import { isOfSchedule } from "../../view/runs.ts";
import { distanceOf, nearTime } from "../../view/times.ts";
import { printable } from "../../telemetry/printable.ts";
import { jsonText } from "../flags/output.ts";
import { type Cell, formatTable } from "../print/table.ts";
import type { Colour, Terminal } from "../print/terminal.ts";
import type { StatusOptions } from "./options.ts";

/** The CronJobs to print. */
export interface Shown {
  readonly rows: readonly CronJobView[];
  /** CronJobs that are fine, and only counted. */
  readonly folded: readonly CronJobView[];
  readonly withNamespaces: boolean;
  /** Said only where it distinguishes something. */
  readonly withApis: boolean;
  /** Beside `standalone` there is no other controller. */
  readonly withRunners: boolean;
  readonly now: EpochMs;
  readonly terminal: Terminal;
}

/** The ways in which `status` prints, without a line break at the end. */
export const STATUS_FORMATS: Record<StatusOptions["output"], (shown: Shown) => string> = {
  table: (shown) => table(shown, []),
  wide: (shown) => table(shown, WIDE),
  json: ({ rows }) => jsonText(rows.map(jsonOf)),
  yaml: ({ rows }) => stringify(rows.map(jsonOf), { keepUndefined: false }).trimEnd(),
  name: ({ rows }) => rows.map(({ apiVersion, name }) => `cronjob.${apiVersion.split("/")[0]}/${name}`).join("\n"),
};

type Column = readonly [head: string, cell: (view: CronJobView, shown: Shown) => Cell];

const COLUMNS: readonly Column[] = [
  ["NAMESPACE", ({ namespace }, { withNamespaces }) => withNamespaces ? namespace : ""],
  ["NAME", ({ name }) => name],
  ["API", ({ apiVersion }, { withApis }) => withApis ? apiVersion : ""],
  ["BY", ({ runner }, { withRunners }) => withRunners ? runner?.by ?? "" : ""],
  ["STATE", ({ state, needsAttention }) => ({ text: state, colour: needsAttention ? "red" : COLOURS[state] })],
  ["SINCE", ({ since }, { now }) => since === undefined ? "" : distanceOf(since, now)],
  ["LAST RUNS", lastRuns],
  ["LAST OK", ({ lastSuccess }, { now }) => lastSuccess === undefined ? "" : distanceOf(lastSuccess, now)],
  ["NEXT", next],
];

const WHY: Column = ["WHY", why];

const WIDE: readonly Column[] = [
  ["SCHEDULE", ({ schedule }) => schedule],
  ["ACTIVE", ({ active }) => active.join(",")],
  ["P50", ({ durations }) => durations ? distanceOf(0, durations.p50Seconds * 1_000) : ""],
  ["P95", ({ durations }) => durations ? distanceOf(0, durations.p95Seconds * 1_000) : ""],
];

/** The columns that a small screen does without, the least important first. */
const SPARE: readonly string[] = ["API", "BY", "P50", "P95", "SCHEDULE", "ACTIVE", "LAST OK", "LAST RUNS", "SINCE"];

function table(shown: Shown, more: readonly Column[]): string {
  const { rows, folded, terminal } = shown;
  const columns = [...COLUMNS, ...more, WHY];
  const body = rows.map((view) => columns.map(([, cell]) => cell(view, shown)));
  const whole = formatTable([columns.map(([head]) => head), ...body], { terminal, explains: WHY[0], spare: SPARE });
  const heads = headlinesOf([...rows, ...folded]);
  return [...heads.map(printable), ...rows.length > 0 ? [whole] : [], ...summary(rows, folded)].join("\n");
}

function summary(rows: readonly CronJobView[], folded: readonly CronJobView[]): string[] {
  if (folded.length === 0) return rows.length === 0 ? ["There are no CronJobs"] : [];
  const { lost = [], fine = [] } = Object.groupBy(
    folded,
    ({ cause }) => cause?.reason === "NoController" ? "lost" : "fine",
  );
  const counts = Object.entries(Object.groupBy(fine, ({ state }) => state))
    .map(([state, views]) => `${views.length} ${state.toLowerCase()}`);
  const said = [
    ...lost.length === 0 ? [] : [`${lost.length} run nowhere`],
    ...fine.length === 0 ? [] : [`${fine.length} are fine: ${counts.join(", ")}`],
  ];
  return [`${rows.length} shown of ${rows.length + folded.length}; ${said.join("; ")} (status --all)`];
}

/** The colours of states that need no attention. */
const COLOURS: Partial<Record<State, Colour>> = { Running: "cyan", Paused: "yellow", Suspended: "yellow" };

const SHOWN_RUNS = 5;

/** For a terminal, and for whatever else. */
const MARKS: Record<RunViewOutcome, readonly [string, string]> = {
  Running: ["▸", "run"],
  Pending: ["…", "pend"],
  Succeeded: ["✓", "ok"],
  Failed: ["✕", "FAIL"],
  Waiting: ["◔", "wait"],
  Skipped: ["○", "skip"],
  Missed: ["◌", "miss"],
  Unknown: ["?", "?"],
};
const REPLACED = ["↻", "repl"] as const;

/** The oldest first, as one reads. */
function lastRuns(view: CronJobView, { terminal }: Shown): string {
  const runs = view.lastRuns.filter(isOfSchedule).slice(0, SHOWN_RUNS).reverse();
  const marks = runs.map((run) =>
    (run.reason === "Replaced" ? REPLACED : MARKS[run.outcome])[terminal.isTerminal ? 0 : 1]
  );
  return marks.join(terminal.isTerminal ? "" : " ");
}

function next({ nextRun, zone }: CronJobView, { now }: Shown): string {
  if (nextRun === undefined) return "";
  if (nextRun.kind === "unknown") return "not known";
  const { scheduledTime, startsAt } = nextRun;
  const whose = scheduledTime > now ? "" : `, the run of ${nearTime(scheduledTime, zone, now)}`;
  return `${nearTime(startsAt, zone, now)} ${zone} (${distanceOf(now, startsAt)})${whose}`;
}

function why(view: CronJobView): string {
  return [causeOf(view), ...view.notes].filter((text) => text !== "").join("; ");
}

function causeOf({ state, cause, failuresInARow: { count, atLeast } }: CronJobView): string {
  if (!cause) return "";
  if (state !== "Failing") return cause.message;
  return count > 1 || atLeast ? `${cause.message} (${atLeast ? "at least " : ""}${count} in a row)` : cause.message;
}
