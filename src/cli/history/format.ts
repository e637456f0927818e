import { quantile } from "../../cronjob/status/durations.ts";
import type { RunView, RunViewOutcome } from "../../view/cron_job_view.ts";
import type { ViewInput } from "../../view/look.ts";
import { keyOf } from "../../kube/object.ts";
import { whyUnsuccessful } from "../../view/pods.ts";
import { durationMs } from "../../view/runs.ts";
import { timeIn } from "../../schedule/full_time.ts";
import { distanceOf } from "../../view/times.ts";
import { type Watched, watchedInWords } from "../../view/watched.ts";
import { many } from "../print/counted.ts";
import { type Cell, formatTable } from "../print/table.ts";
import type { Colour, Terminal } from "../print/terminal.ts";

/** A run, and what is known of its CronJob. */
export interface KnownRun {
  readonly run: RunView;
  readonly input: ViewInput;
}

interface About {
  /** Whether they are all of one CronJob. */
  readonly isOne: boolean;
  /** All runs that are known, shown or not. */
  readonly known: readonly KnownRun[];
  /** The known runs of the span that is asked for. */
  readonly ofSpan: readonly KnownRun[];
  /** How many of them are asked for. */
  readonly wanted: number;
  /** Whether there may be more. */
  readonly isCut?: boolean | undefined;
  readonly zone: string;
  /** Whether a server that remembers runs was asked. */
  readonly remembers: boolean;
  /** When they were watched; undefined where none is remembered, or all are. */
  readonly watched?: Watched | undefined;
  readonly terminal: Terminal;
}

const COLOURS: Partial<Record<RunViewOutcome, Colour>> = {
  Succeeded: "green",
  Failed: "red",
  Missed: "red",
  Waiting: "yellow",
  Skipped: "yellow",
  Pending: "yellow",
  Running: "cyan",
};

/** The columns that a small screen does without, the least important first. */
const SPARE: readonly string[] = ["JOB", "START", "TRIGGER", "DURATION"];

const TRIGGERS: Readonly<Record<RunView["trigger"], string>> = {
  Schedule: "schedule",
  Manual: "by hand",
  Backfill: "back-fill",
};

const NONE_KNOWN = "No run is known";
/** Of a cluster alone, which knows what its Jobs, statuses and Events show. */
const NONE_LEFT = `${NONE_KNOWN}: history limits delete Jobs. --server asks a controller that remembers runs`;
const NONE_CHOSEN = "No such run is known: leave out --failed, --since and --until to see the others";

type Column = readonly [head: string, cell: (run: RunView, input: ViewInput, about: About) => Cell];

const COLUMNS: readonly Column[] = [
  ["TIME", ({ scheduledTime, startedAt }, _, { zone }) => {
    const instant = scheduledTime ?? startedAt;
    return instant === undefined ? "" : timeIn(zone, instant);
  }],
  ["CRONJOB", (_, { cronJob }, { isOne }) => isOne ? "" : keyOf(cronJob)],
  ["TRIGGER", ({ trigger }) => TRIGGERS[trigger]],
  ["START", (run, _, { isOne }) => isOne ? late(run) : ""],
  ["DURATION", duration],
  ["OUTCOME", ({ outcome }) => ({ text: outcome, colour: COLOURS[outcome] })],
  ["WHY", whyUnsuccessful],
  ["JOB", ({ job = "" }) => job],
];

/** Returns the table of `runs`, how many it leaves out, and what the runs of one CronJob in the span add up to. */
export function formatHistory(runs: readonly KnownRun[], about: About): string {
  const { isOne, known, ofSpan, wanted, isCut, remembers, watched, zone, terminal } = about;
  const kept = watched ? [watchedInWords(watched, zone)] : [];
  const none = known.length > 0 ? NONE_CHOSEN : remembers ? NONE_KNOWN : NONE_LEFT;
  if (runs.length === 0) return [none, ...kept].join("\n");
  const head = COLUMNS.map(([head]) => head === "TIME" ? `TIME (${zone})` : head);
  const rows = runs.map(({ run, input }) => COLUMNS.map(([, cell]) => cell(run, input, about)));
  const table = formatTable([head, ...rows], { terminal, explains: "WHY", spare: SPARE });
  return [
    table,
    ...leftOut(runs.length, { wanted, isCut }),
    ...isOne ? summary(ofSpan.map(({ run }) => run)) : [],
    ...kept,
  ].join("\n");
}

/** Returns the line about runs that are asked for and not among the newest `shown`; none where there are none. */
export function leftOut(shown: number, { wanted, isCut }: Pick<About, "wanted" | "isCut">): string[] {
  return wanted <= shown ? [] : [`The newest ${shown} of ${isCut ? "at least " : ""}${wanted}: --last shows more`];
}

function late({ trigger, scheduledTime, startedAt }: RunView): string {
  if (trigger !== "Schedule" || scheduledTime === undefined || startedAt === undefined) return "";
  return `+${distanceOf(scheduledTime, startedAt)}`;
}

function duration(run: RunView, { now }: ViewInput): string {
  const ms = durationMs(run);
  if (ms !== undefined) return distanceOf(0, ms);
  const goesOn = run.outcome === "Running" || run.outcome === "Pending";
  return goesOn && run.startedAt !== undefined ? `${distanceOf(run.startedAt, now)} so far` : "";
}

/** Returns how long those took that ended, and how many of them succeeded. */
function summary(runs: readonly RunView[]): string[] {
  const ended = runs.filter(({ outcome }) => outcome === "Succeeded" || outcome === "Failed");
  const durations = ended.flatMap((run) => durationMs(run) ?? []).sort((a, b) => a - b);
  if (durations.length === 0) return [];
  const took = (share: number) => distanceOf(0, quantile(durations, share));
  const succeeded = ended.filter(({ outcome }) => outcome === "Succeeded").length;
  const share = Math.floor(100 * succeeded / ended.length);
  return [
    `p50 ${took(0.5)}, p95 ${took(0.95)} over ${many(ended.length, "run")} that ended; ${share} % of them succeeded`,
  ];
}
